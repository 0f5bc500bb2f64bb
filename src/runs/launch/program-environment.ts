import type { SettledRequest } from '../../protocol/index.ts';
import { environmentRequest } from './environment-request.ts';
import { buildInheritedEnv, type Caller, inheritedSecrets, inheritedVariables } from './inherited-environment.ts';
import {
  buildIsolatedEnv,
  checkHomes,
  hiderOf,
  isolatedVariables,
  type ManagedFolders,
  type ProgramEnvironment,
  secretHider,
} from './isolated-environment.ts';

type Values = Readonly<Record<string, string>>;

/** The environment of the program: inherited or isolated. `own` is known only when it starts. */
export function buildProgramEnv(
  request: SettledRequest,
  { caller, managed, engineSets, own }: { caller: Caller; managed: ManagedFolders; engineSets: Values; own: Values },
): ProgramEnvironment {
  if (request.environment === 'inherited') return buildInheritedEnv(request, caller, own);
  return buildIsolatedEnv({ ...environmentRequest(request, engineSets, own), managed });
}

/** The same check before anything is created, as far as possible. */
export function checkProgramEnv(
  request: SettledRequest,
  { caller, managed, engineSets }: { caller: Caller; managed: ManagedFolders; engineSets: Values },
): Record<string, string> {
  if (request.environment === 'inherited') return inheritedVariables(request, caller);
  const env = isolatedVariables({ ...environmentRequest(request, engineSets), managed });
  checkHomes(env, managed);
  return env;
}

/** Returns a function that blanks the values of the program's secrets in recorded texts. */
export function hiderFor(
  request: SettledRequest,
  { callerEnv, engineSets }: { callerEnv: NodeJS.ProcessEnv; engineSets: Values },
): (text: string) => string {
  if (request.environment !== 'inherited') return secretHider(environmentRequest(request, engineSets));
  const env = inheritedVariables(request, { env: callerEnv, cwd: '/' });
  return hiderOf(inheritedSecrets(request, env));
}
