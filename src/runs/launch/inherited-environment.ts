import fs from 'node:fs';
import type { SettledRequest } from '../../protocol/index.ts';
import { MARKER_VARIABLE } from '../../terminal/index.ts';
import { findSecrets, type ProgramEnvironment, realPath } from './isolated-environment.ts';

/** The environment and folder of the recording process, for a command that inherits both. */
export interface Caller {
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** Tacho sets these for the programs of one attempt; those of an outer run do not apply inside it. */
const OF_OUTER_RUN = ['TACHO_RUN_ID', 'TACHO_ARTIFACTS', 'TACHO_DEMO_APPROVALS', MARKER_VARIABLE];

/** All variables of the caller, overridden by those of the request. Never written to disk. */
export function inheritedVariables({ env, term }: SettledRequest, caller: Caller): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller.env)) if (value !== undefined) variables[name] = value;
  for (const name of OF_OUTER_RUN) delete variables[name];
  // Shells and `pwd` trust PWD; it may name the folder through links, but not another one.
  if (variables.PWD !== undefined && realPath(variables.PWD) !== realPath(caller.cwd)) variables.PWD = caller.cwd;
  return Object.assign(variables, { TERM: term }, env);
}

export function buildInheritedEnv(
  request: SettledRequest,
  caller: Caller,
  own: Readonly<Record<string, string>>,
): ProgramEnvironment {
  const env = { ...inheritedVariables(request, caller), ...own };
  return { env, names: [...Object.keys(env), MARKER_VARIABLE].sort(), secrets: inheritedSecrets(request, env) };
}

/** Values that must not appear in an event. A value given for this run always counts. */
export function inheritedSecrets(
  { env: given, recording }: SettledRequest,
  env: Record<string, string>,
): { name: string; value: string }[] {
  const named = findSecrets(env, recording.secret_names);
  return named.filter(({ name, value }) => Object.hasOwn(given, name) || !isFile(value));
}

/** The path of a file with a secret is not a secret, and appears in ordinary output. */
function isFile(value: string): boolean {
  return value.startsWith('/') && fs.existsSync(value);
}
