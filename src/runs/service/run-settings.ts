import type { RunFolder } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import type { RunRequest } from '../request/run-request.ts';
import { privateNames, readPrivate, removePrivate, writePrivate } from './private-file.ts';

/**
 * What later attempts of a run are started with and no record shows: the environment it was given may hold secrets. Kept
 * while the run can still go on, and removed when it has ended.
 */
export type RunSettings = Pick<
  RunRequest,
  'env' | 'passEnv' | 'capture' | 'captureReason' | 'cols' | 'rows' | 'keepTrace'
>;

const NAME = 'settings';

export function writeRunSettings(folder: RunFolder, request: RunRequest): void {
  const { env, passEnv, capture, captureReason, cols, rows, keepTrace } = request;
  writePrivate(folder, NAME, { env, passEnv, capture, captureReason, cols, rows, keepTrace } satisfies RunSettings);
}

/** Null for a run that was not made by the service, or has ended. */
export function readRunSettings(folder: RunFolder): RunSettings | null {
  return readPrivate<RunSettings>(folder, NAME);
}

export function removeRunSettings(folder: RunFolder): void {
  removePrivate(folder, NAME);
}

/** Runs that have settings here; those of runs that ended while nobody looked are left over. */
export function runsWithSettings(home: DataHome): string[] {
  return privateNames(home, NAME);
}
