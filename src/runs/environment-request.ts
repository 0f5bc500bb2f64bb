import type { RunContext } from './context.ts';
import type { RunRequest } from './request.ts';

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
