import * as z from 'zod';
import type { RunFolder } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import { createPrivate, privateNames, readPrivate, removePrivate, watchPrivate, writePrivate } from './private-file.ts';

/**
 * That a run is to be canceled, until whoever holds its lock has ended it. It outlives the process that asked: a recorder
 * may be past the point where it could still end its attempt as canceled, and the run wait for an answer after that.
 */
const NAME = 'cancel';
const FORMAT = 'tacho-cancel/1';
const cancelSchema = () => z.strictObject({ format: z.literal(FORMAT), asked_at: z.iso.datetime() });

/** Asking again changes nothing; what lies there and is no request is replaced. */
export function requestCancel(folder: RunFolder): void {
  const request = { format: FORMAT, asked_at: new Date().toISOString() };
  if (!createPrivate(folder, NAME, request) && !isCancelRequested(folder)) writePrivate(folder, NAME, request);
}

/** The folder is open to recorded programs, which may put anything there: then nothing is asked. */
export function isCancelRequested(folder: RunFolder): boolean {
  try {
    return checkCancel(folder);
  } catch {
    return false;
  }
}

/** The same, for whoever reports what is there and cannot be read. */
export function checkCancel(folder: RunFolder): boolean {
  return readPrivate(folder, NAME, cancelSchema) !== null;
}

export function removeCancelRequest(folder: RunFolder): void {
  try {
    removePrivate(folder, NAME);
  } catch {
    // A folder in its place asks for nothing, and fails no run.
  }
}

/** Runs that somebody asked to cancel, also those that have ended since. */
export function runsToCancel(home: DataHome): string[] {
  return privateNames(home, NAME);
}

/** Tells, once, that a cancel is asked for. */
export function onCancelRequest(folder: RunFolder, tell: () => void): { stop(): void } {
  const watch = watchPrivate(folder, NAME, () => {
    if (!isCancelRequested(folder)) return;
    watch.stop();
    tell();
  });
  return watch;
}
