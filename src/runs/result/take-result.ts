import type { AttemptResult, SkillManifest, Validity, Violation } from '../../protocol/index.ts';
import type { SchemaCheck } from '../../skills/index.ts';
import { MAX_RESULT_BYTES, type ResultFile, readResultFile } from './result-file.ts';
import { takePayload } from './take-payload.ts';

/** The result of an attempt, and whether it follows the contract of the skill. */
export type TakenResult = Pick<AttemptResult, 'payload' | 'payload_from' | 'validity'>;

export interface ResultSources {
  /** The assistant's messages that the result may be in. */
  messages: { final: string | null; before: string | null };
  /** `entrypoint` of the manifest. */
  entrypoint: SkillManifest['entrypoint'];
  artifactsFolder: string;
  workspace: string;
  /** Earlier files of the workspace are not results of this run. In milliseconds. */
  runStartedAt: number;
  hideSecrets(text: string): string;
  /** Of the output; null if the skill has no schema. */
  check: SchemaCheck | null;
}

interface Candidate {
  payload: unknown;
  isJson: boolean;
  from: AttemptResult['payload_from'];
  violations: Violation[];
}

/**
 * Takes the result from the file that the manifest names, or from the assistant's message: the first of them that is
 * valid. If none is, the first one counts, with its violations.
 */
export function takeResult(sources: ResultSources): TakenResult {
  const { check } = sources;
  const candidates = [...fileCandidates(sources), ...messageCandidate(sources)];
  for (const candidate of candidates) {
    if (candidate.violations.length === 0) candidate.violations = violationsOf(candidate, check);
    if (candidate.violations.length === 0) return taken(candidate, check === null ? 'unchecked' : 'valid');
  }
  const [first] = candidates;
  if (first) return taken(first, 'invalid');
  const violations = check === null ? [] : [{ path: '', message: 'there is no result' }];
  return taken({ payload: null, isJson: true, from: null, violations }, check === null ? 'unchecked' : 'invalid');
}

function taken({ payload, from, violations }: Candidate, state: Validity['state']): TakenResult {
  return { payload, payload_from: from, validity: { state, violations } };
}

function* fileCandidates(sources: ResultSources): Generator<Candidate> {
  const { result_json_filename: name } = sources.entrypoint;
  if (name === undefined) return;
  const { artifactsFolder, workspace, runStartedAt, hideSecrets } = sources;
  const places = [
    { in: 'artifacts' as const, file: readResultFile(artifactsFolder, name, { hideSecrets }) },
    { in: 'workspace' as const, file: readResultFile(workspace, name, { hideSecrets, changedSince: runStartedAt }) },
  ];
  for (const { file, ...place } of places) {
    if (file) yield { ...contentOf(file, name), isJson: true, from: { kind: 'file', path: name, ...place } };
  }
}

function contentOf(file: ResultFile, name: string): Pick<Candidate, 'payload' | 'violations'> {
  if ('value' in file) return { payload: file.value, violations: [] };
  return { payload: null, violations: [{ path: '', message: `the file ${JSON.stringify(name)} ${file.wrong}` }] };
}

function messageCandidate({ messages }: ResultSources): Candidate[] {
  const payload = takePayload(messages.final, messages.before);
  if (!payload) return [];
  return [{ payload: payload.value, isJson: payload.isJson, from: { kind: 'message' }, violations: [] }];
}

function violationsOf({ payload, isJson }: Candidate, check: SchemaCheck | null): Violation[] {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes > MAX_RESULT_BYTES) {
    return [{ path: '', message: `the result has ${bytes} bytes; the limit is ${MAX_RESULT_BYTES}` }];
  }
  const violations = check?.(payload) ?? [];
  if (isJson || violations.length === 0) return violations;
  return [{ path: '', message: 'the final message holds no JSON value' }, ...violations];
}
