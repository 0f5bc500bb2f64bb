import { loadSealKey, nextAttempt, type RunFolder, sealAttempt } from '../../recording/index.ts';
import type { AttemptLog } from '../attempt/attempt-log.ts';
import type { RunContext } from '../context.ts';

/**
 * Seals the events after the last attempt, of a run that ends without another one. They belong to the attempt that was
 * to come, so the seal has its number; it holds no more than the files that all attempts share.
 */
export function sealClosing(folder: RunFolder, { chain }: AttemptLog, { home }: RunContext): void {
  sealAttempt({ folder, attempt: nextAttempt(folder), key: loadSealKey(home.keys), chain, diff: null });
}
