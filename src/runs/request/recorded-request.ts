import { type EngineProfile, engineOf } from '../../engines/index.ts';
import type { RunRecord, RunRequest, SettledRequest } from '../../protocol/index.ts';
import { parseRunRequest } from './settle-request.ts';

/**
 * The request of a run from its record: without the values of variables and the contents of files. Null for a run
 * without a request, such as an imported one. Records of earlier versions have fewer fields.
 */
export function recordedRequest({ request, launch, engine, command, mode, limits }: RunRecord): RunRequest | null {
  if (typeof request === 'object') {
    const { env: _names, files: _files, packages: _packages, skipped_skills: _skipped, ...rest } = request;
    return { ...rest, env: {}, pass_env: [], inherit_env: true };
  }
  if (engine === 'text') return parseRunRequest({ command, limits });
  if (!launch) return null;
  const { model, base_url, format, engine_args, require_marker, parse, prompt = '' } = launch;
  return parseRunRequest({
    engine,
    prompt: request ?? prompt,
    mode,
    engine_args,
    require_marker,
    parse,
    limits,
    model: model ?? undefined,
    base_url: base_url ?? undefined,
    format: format ?? undefined,
  });
}

/** What a run was accepted with of skills. */
export type AcceptedSkills = Pick<SettledRequest, 'packages' | 'skipped_skills'>;

/** The skills of a run as they were accepted, for its next attempt. */
export function recordedSkills({ request }: RunRecord): AcceptedSkills {
  const { packages, skipped_skills } = typeof request === 'object' ? request : {};
  return { ...(packages && { packages }), ...(skipped_skills && { skipped_skills }) };
}

/** The engine of a run as its output was read, also if its definition is gone or its output was treated as plain text. */
export function recordedProfile(record: RunRecord): EngineProfile {
  const { engine, reading, live } = record;
  return engineOf(engine, {
    parsed: recordedRequest(record)?.parse ?? true,
    sessionFile: live?.capture.source === 'session_file',
    reading,
  });
}
