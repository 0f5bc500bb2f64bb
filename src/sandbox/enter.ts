import type { SandboxRequest } from '../protocol/terminal/index.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { findGuarded } from './guarded-paths.ts';
import { lookAt } from './look.ts';
import { holdPlaces, releasePlaces } from './placeholders.ts';
import { type Place, planSandbox } from './plan.ts';
import { probeBubblewrap, withFilter } from './probe.ts';

/**
 * Returns the arguments to put before a program's command line so that it runs in the requested sandbox, or why it
 * cannot.
 */
export type EnterSandbox = (request: SandboxRequest, place: Place) => Promise<Entered | { why: string }>;

export interface Entered {
  argv: string[];
  /** Files and folders created for it, for cleanup if `leave` is never called. */
  made: string[];
  /** Must be called when no process of the program is left. */
  leave(): void;
}

export const enterBubblewrap: EnterSandbox = async (request, place) => {
  const probed = await probeBubblewrap(request.network);
  if ('why' in probed) return probed;
  const workspace = lookAt(place.workspace);
  const made = workspace && request.workspace === 'write' ? holdPlaces(workspace.real) : [];
  const shown = [place.workspace, ...request.write, ...request.read].flatMap((item) => lookAt(item)?.real ?? []);
  const guarded = shown.filter((root) => root !== '/').map(findGuarded);
  const hidden = [...(place.hidden ?? []), ...guarded.flatMap((found) => found.hidden)];
  const planned = planSandbox(request, { ...place, hidden, fixed: guarded.flatMap(({ fixed }) => fixed) }, lookAt);
  if ('why' in planned) {
    releasePlaces(made);
    return planned;
  }
  const argv = withFilter(probed, bubblewrapArguments(planned.plan));
  return { argv, made, leave: () => releasePlaces(made.splice(0)) };
};

/** Starts the program without a sandbox, with a view of the whole machine. */
export const enterNone: EnterSandbox = () => Promise.resolve({ argv: [], made: [], leave: () => {} });
