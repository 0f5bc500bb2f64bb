import fs from 'node:fs';
import path from 'node:path';
import { type RunFolder, writeWhole } from '../../recording/index.ts';
import type { RunRequest } from '../request.ts';

/**
 * What later attempts of a run are started with and no record shows: the environment it was given may hold secrets. Kept
 * private while the run can still go on, and removed when it has ended.
 */
export type RunSettings = Pick<
  RunRequest,
  'env' | 'passEnv' | 'capture' | 'captureReason' | 'cols' | 'rows' | 'keepTrace'
>;

const FILE = 'settings.json';

export function writeRunSettings(folder: RunFolder, request: RunRequest): void {
  const { env, passEnv, capture, captureReason, cols, rows, keepTrace } = request;
  const settings: RunSettings = { env, passEnv, capture, captureReason, cols, rows, keepTrace };
  writeWhole(path.join(folder.audit, FILE), `${JSON.stringify(settings)}\n`, { replace: true });
}

/** Null for a run that was not made by the service, or has ended. */
export function readRunSettings(folder: RunFolder): RunSettings | null {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder.audit, FILE), 'utf8')) as RunSettings;
  } catch {
    return null;
  }
}

export function removeRunSettings(folder: RunFolder): void {
  fs.rmSync(path.join(folder.audit, FILE), { force: true });
}
