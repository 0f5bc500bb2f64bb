import type { SandboxRequest } from '../protocol/terminal/index.ts';
import { type EntryOptions, enterPlan } from './entry.ts';
import { findGuarded } from './guarded-paths.ts';
import { lookAt } from './look.ts';
import type { EnteredSandbox } from './open-sandbox.ts';
import { holdPlaces, releasePlaces } from './placeholders.ts';
import { type Place, planSandbox } from './plan.ts';
import { probeBubblewrap } from './probe.ts';

/** Prepares a program to run in the requested sandbox, or says why it cannot. */
export async function enterBubblewrap(
  request: SandboxRequest,
  place: Place & Pick<EntryOptions, 'firstDescriptor'>,
): Promise<EnteredSandbox | { why: string }> {
  const probed = await probeBubblewrap(request.network);
  if ('why' in probed) return probed;
  const workspace = lookAt(place.workspace);
  const made = workspace && request.workspace === 'write' ? holdPlaces(workspace.real) : [];
  const shown = [place.workspace, ...request.write, ...request.read].flatMap((item) => lookAt(item)?.real ?? []);
  const guarded = shown.filter((root) => root !== '/').map(findGuarded);
  const hidden = [...(place.hidden ?? []), ...guarded.flatMap((found) => found.hidden)];
  const fixed = [...guarded.flatMap((found) => found.fixed), ...request.fixed];
  const planned = planSandbox(request, { ...place, hidden, fixed }, lookAt);
  if ('why' in planned) {
    releasePlaces(made);
    return planned;
  }
  const { environment, firstDescriptor } = place;
  const entry = enterPlan(probed, planned.plan, { environment, firstDescriptor });
  return { entry, made, leave: () => releasePlaces(made.splice(0)) };
}
