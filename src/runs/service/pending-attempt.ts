import type { RunFolder } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import type { RunRequest } from '../request/run-request.ts';
import { privateNames, readPrivate, removePrivate, writePrivate } from './private-file.ts';

/** The attempt that is to come, as whoever starts it needs it. It does not stay. */
const NAME = 'next';
const FORMAT = 'tacho-next/1';

interface Pending {
  format: typeof FORMAT;
  request: RunRequest;
}

export function writePendingAttempt(folder: RunFolder, request: RunRequest): void {
  writePrivate(folder, NAME, { format: FORMAT, request } satisfies Pending);
}

/** Null when no attempt is to come, or it has begun. */
export function readPendingAttempt(folder: RunFolder): RunRequest | null {
  const pending = readPrivate<Pending>(folder, NAME);
  return pending?.format === FORMAT ? pending.request : null;
}

/** Runs that have one to come, also those where a crash left it. */
export function runsWithPendingAttempt(home: DataHome): string[] {
  return privateNames(home, NAME);
}

export function removePendingAttempt(folder: RunFolder): void {
  removePrivate(folder, NAME);
}
