import { type RunRecord, TachoError } from '../../protocol/index.ts';

/**
 * One number per run with the sort order of lists: the millisecond of its creation, then the end of its handle. It fits
 * into 53 bits until 2089, and leaves ten of SQLite's 63 for the pages of the run's text.
 */
const BEGINNING = Date.UTC(2020, 0, 1);
const LAST_MILLISECOND = 2 ** 41 - 1;
const TIES = 4096;

export function keyOf({ created_at, handle }: Pick<RunRecord, 'created_at' | 'handle'>): number {
  const time = Math.min(Math.max(Date.parse(created_at) - BEGINNING, 0), LAST_MILLISECOND);
  return time * TIES + (Number.parseInt(handle.slice(-3), 16) % TIES);
}

/** Where the next page of a list begins. It is a position, not a run, so it stays valid when runs are removed. */
export function cursorAt(key: number): string {
  return key.toString(36);
}

export function keyAt(cursor: string): number {
  const key = /^[0-9a-z]{1,11}$/.test(cursor) ? Number.parseInt(cursor, 36) : Number.NaN;
  if (Number.isSafeInteger(key)) return key;
  throw new TachoError('INVALID_REQUEST', `"${cursor.slice(0, 40)}" is not a cursor of a list of runs`, {
    fix: 'Use next_cursor of the page before, or leave it out to begin with the newest run.',
  });
}
