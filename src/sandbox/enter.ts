import type { SandboxRequest } from '../protocol/terminal/index.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { lookAt } from './look.ts';
import { type Place, planSandbox } from './plan.ts';
import { probeBubblewrap } from './probe.ts';

/** What stands before a program on its command line, so that it sees what was asked for; or why it cannot. */
export type EnterSandbox = (request: SandboxRequest, place: Place) => Promise<{ argv: string[] } | { why: string }>;

export const enterBubblewrap: EnterSandbox = async (request, place) => {
  const probed = await probeBubblewrap(request.network);
  if ('why' in probed) return probed;
  const planned = planSandbox(request, place, lookAt);
  return 'why' in planned ? planned : { argv: [probed.program, ...bubblewrapArguments(planned.plan)] };
};

/** Starts the program without a sandbox, with a view of the whole machine. */
export const enterNone: EnterSandbox = () => Promise.resolve({ argv: [] });
