import { hash } from 'node:crypto';
import path from 'node:path';
import { isRegularFile, readRegularBytes, readRegularFile } from '../../files/index.ts';
import {
  attemptFileNames,
  BLOBS_FOLDER,
  type FsDiff,
  fsDiffSchema,
  MAX_BLOB_BYTES,
  type RunRecord,
  readLeniently,
  TachoError,
} from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';
import { chooseAttempt } from '../records/attempt-choice.ts';

const MAX_DIFF_BYTES = 512 * 1024 * 1024;

/** The attempts that have a list of changed files: all of the run, or the given one. */
export function attemptsWithFiles(folder: RunFolder, { live }: RunRecord, given: string | undefined): number[] {
  const all = Array.from({ length: nextAttempt(folder) - 1 }, (_, index) => index + 1);
  const attempts = given === undefined ? all : [chooseAttempt(folder, given)];
  const listed = attempts.filter((attempt) => isRegularFile(diffFile(folder, attempt)));
  if (listed.length > 0) return listed;
  if (live !== null) {
    throw new TachoError('RUN_ACTIVE', `${folder.runId} has not ended`, {
      fix: 'Its changes are known when it has ended; tacho events --follow shows how it is going.',
    });
  }
  throw new TachoError('ATTEMPT_NOT_FOUND', `${folder.runId} has no list of changed files`, {
    facts: { attempts },
    fix: 'Record with --level full; runs at level minimal and imported runs have none.',
  });
}

export function readDiff(folder: RunFolder, attempt: number): FsDiff {
  const text = readRegularFile(diffFile(folder, attempt), { maxBytes: MAX_DIFF_BYTES });
  const read = readLeniently(fsDiffSchema, JSON.parse(text));
  if (!read.success) throw read.error;
  return read.data;
}

/** Reads stored contents; null if missing, or if the content does not match its hash. */
export function blobReader({ audit }: RunFolder): (sha256: string) => Buffer | null {
  return (sha256) => {
    const file = path.join(audit, BLOBS_FOLDER, sha256);
    try {
      const content = readRegularBytes(file, { maxBytes: MAX_BLOB_BYTES });
      return hash('sha256', content) === sha256 ? content : null;
    } catch {
      return null;
    }
  };
}

function diffFile({ audit }: RunFolder, attempt: number): string {
  return path.join(audit, attemptFileNames(attempt).fsDiff);
}
