import * as z from 'zod';
import type { RunFolder } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import { createPrivate, privateNames, readPrivate, removePrivate, watchPrivate, writePrivate } from './private-file.ts';

/**
 * A stored cancel request, until the holder of the run's lock has ended the run. It outlives the requesting process: a
 * recorder may be past the point where it can end its attempt as canceled, so that the run waits for an answer
 * afterwards.
 */
const NAME = 'cancel';
const FORMAT = 'tacho-cancel/1';
const cancelSchema = () => z.strictObject({ format: z.literal(FORMAT), asked_at: z.iso.datetime() });

/** Repeating a request changes nothing; anything else in its place is replaced. */
export function requestCancel(folder: RunFolder): void {
  const request = { format: FORMAT, asked_at: new Date().toISOString() };
  if (!createPrivate(folder, NAME, request) && !isCancelRequested(folder)) writePrivate(folder, NAME, request);
}

/** Recorded programs can write to the folder, so invalid content counts as no request. */
export function isCancelRequested(folder: RunFolder): boolean {
  try {
    return checkCancel(folder);
  } catch {
    return false;
  }
}

/** The same, but throws for unreadable content, for callers that report it. */
export function checkCancel(folder: RunFolder): boolean {
  return readPrivate(folder, NAME, cancelSchema) !== null;
}

export function removeCancelRequest(folder: RunFolder): void {
  try {
    removePrivate(folder, NAME);
  } catch {
    // A folder in its place is not a request, and fails no run.
  }
}

/** Runs with a cancel request, including runs that have ended since. */
export function runsToCancel(home: DataHome): string[] {
  return privateNames(home, NAME);
}

/** Calls back once on a cancel request. */
export function onCancelRequest(folder: RunFolder, onRequest: () => void): { stop(): void } {
  const watch = watchPrivate(folder, NAME, () => {
    if (!isCancelRequested(folder)) return;
    watch.stop();
    onRequest();
  });
  return watch;
}
