import type { RunContext } from '../context.ts';
import type { RunRequest } from '../request/run-request.ts';
import { inherited } from './isolated-environment.ts';
import { planLaunch } from './plan-launch.ts';

/** A person's own terminal type when they watch; the configured one when nobody does. */
export function environmentRequest(
  request: RunRequest,
  context: RunContext,
  engine: { set: Record<string, string>; take: readonly string[] },
  own: Record<string, string> = {},
) {
  const { environment, terminal } = context.config;
  const term = request.interactive ? (context.env.TERM ?? terminal.term) : terminal.term;
  return {
    base: context.env,
    inherit: [...environment.inherit, ...environment.pass, ...engine.take, ...request.passEnv],
    set: { TERM: term, ...engine.set, ...request.env, ...own },
    secretNames: environment.secret_names,
  };
}

/** What a program would be given of the caller's own environment: for handing it to a process whose own is another. */
export function callerEnvironment(request: RunRequest, context: RunContext): Record<string, string> {
  const taken = inherited(environmentRequest(request, context, planLaunch(request, context).environment('')));
  return context.env.PATH === undefined ? taken : { ...taken, PATH: context.env.PATH };
}
