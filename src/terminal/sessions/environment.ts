import type { EnvironmentPolicy, SessionKind } from '../../protocol/terminal/index.ts';

/** What programs commonly need, and nothing secret. */
const CORE = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|TZ|TMPDIR|PWD)$/;

/** A shell would run the files they name before its first line. */
const START_FILE_VARIABLES = ['BASH_ENV', 'ENV'];

/** The environment of the program of a session. */
export function sessionEnvironment(
  kind: SessionKind,
  policy: EnvironmentPolicy,
  own: NodeJS.ProcessEnv,
): Record<string, string> {
  const environment = buildEnvironment(policy, own);
  if (kind === 'pty') return { TERM: 'xterm-256color', ...environment };
  if (kind === 'shell') for (const name of START_FILE_VARIABLES) delete environment[name];
  return environment;
}

/** The environment of a session, derived from the runtime's own by a policy. */
export function buildEnvironment(policy: EnvironmentPolicy, own: NodeJS.ProcessEnv): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && isInherited(name, policy)) environment[name] = value;
  }
  return { ...environment, ...policy.set };
}

function isInherited(name: string, { inherit, include, exclude }: EnvironmentPolicy): boolean {
  if (exclude.includes(name)) return false;
  if (include.includes(name)) return true;
  switch (inherit) {
    case 'all':
      return true;
    case 'core':
      return CORE.test(name);
    case 'none':
      return false;
  }
}
