import type { SettledRequest } from '../../protocol/index.ts';
import type { EnvironmentRequest } from './isolated-environment.ts';

/** The isolated environment of a settled request, which no longer depends on the starting process. */
export function environmentRequest(
  { env, term, recording }: SettledRequest,
  engineSets: Readonly<Record<string, string>>,
  own: Record<string, string> = {},
): Omit<EnvironmentRequest, 'managed'> {
  const { PATH, ...rest } = env;
  return {
    base: { PATH },
    inherit: [],
    set: { TERM: term, ...engineSets, ...rest, ...own },
    secretNames: recording.secret_names,
  };
}
