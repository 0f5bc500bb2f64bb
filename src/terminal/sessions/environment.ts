import type { EnvironmentPolicy } from '../../protocol/terminal/index.ts';

/** What programs commonly need, and nothing secret. */
const CORE = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|TZ|TMPDIR|PWD)$/;

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
