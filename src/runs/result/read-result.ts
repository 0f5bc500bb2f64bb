import path from 'node:path';
import { isRegularFile, readRegularFile } from '../../files/index.ts';
import {
  type AttemptResult,
  attemptFileNames,
  attemptResultSchema,
  readLeniently,
  TachoError,
} from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';

/** Null for an attempt without a skill, and for one that has not ended or waits for an answer. */
export function readAttemptResult(folder: RunFolder, attempt: number): AttemptResult | null {
  const file = path.join(folder.audit, attemptFileNames(attempt).result);
  if (!isRegularFile(file)) return null;
  try {
    const read = readLeniently(attemptResultSchema, JSON.parse(readRegularFile(file)));
    if (!read.success) throw read.error;
    return read.data;
  } catch (cause) {
    throw new TachoError('RECORD_INCOMPLETE', `the result of attempt ${attempt} cannot be read`, {
      facts: { attempt },
      cause,
      fix: 'Check the record: tacho verify, or POST /v1/runs/{id}/verify.',
    });
  }
}

/** The result of the last attempt that has one. */
export function readLastResult(folder: RunFolder): AttemptResult | null {
  for (let attempt = nextAttempt(folder) - 1; attempt > 0; attempt--) {
    const result = readAttemptResult(folder, attempt);
    if (result) return result;
  }
  return null;
}

/** The artifact of the run with this path. Throws NOT_FOUND. */
export function findArtifact(folder: RunFolder, wanted: string): AttemptResult['artifacts'][number] {
  const { artifacts = [] } = readLastResult(folder) ?? {};
  const found = artifacts.find(({ path: name }) => name === wanted);
  if (found) return found;
  throw new TachoError('NOT_FOUND', `the run has no artifact ${JSON.stringify(wanted.slice(0, 200))}`, {
    facts: { artifacts: artifacts.slice(0, 20).map(({ path: name }) => name) },
    fix: 'The result of the run lists its artifacts.',
  });
}
