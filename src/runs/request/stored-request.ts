import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type SettledRequest, settledRequestSchema } from '../../protocol/index.ts';
import { type RunFolder, runFolderAt } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import {
  privateNames,
  privateText,
  readPrivate,
  removeAllPrivate,
  removePrivate,
  writePrivate,
} from './private-file.ts';

/**
 * The whole request of a run, with the values of its variables, for later attempts. Kept while the run can still
 * continue, and removed when it has ended.
 */
const NAME = 'request';
const FORMAT = 'tacho-request/1';
/** Built only when there is a file to check. */
const storedSchema = () => z.strictObject({ format: z.literal(FORMAT), request: settledRequestSchema });

export function storeRequest(folder: RunFolder, request: SettledRequest): void {
  writePrivate(folder, NAME, { format: FORMAT, request } satisfies z.infer<ReturnType<typeof storedSchema>>);
}

/** Null for an ended run, and for one of an earlier version. */
export function readStoredRequest(folder: RunFolder): SettledRequest | null {
  return readPrivate(folder, NAME, storedSchema)?.request ?? null;
}

export function removeStoredRequest(folder: RunFolder): void {
  removePrivate(folder, NAME);
}

/** Removes a run that was never accepted, with everything stored for it. */
export function forgetRun(folder: RunFolder): void {
  removeAllPrivate(folder);
  fs.rmSync(folder.path, { recursive: true, force: true });
}

/** The file as it is, for what only looks for a text in it; empty if it is gone. Throws if it is not a file. */
export function storedRequestText(home: DataHome, runId: string): string {
  return privateText(runFolderAt(path.join(home.runs, runId)), NAME) ?? '';
}

/** Runs with a stored request; one of a run that ended without a server is left over. */
export function runsWithStoredRequest(home: DataHome): string[] {
  return privateNames(home, NAME);
}
