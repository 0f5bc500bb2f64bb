import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readRegularFile } from '../files/index.ts';
import {
  AUDIT_FOLDER,
  HANDLE_PATTERN,
  RUN_ID_PATTERN,
  RUN_RECORD_FILE,
  type RunRecord,
  TachoError,
  WORK_FOLDER,
} from '../protocol/index.ts';
import { parseRunRecord, refuseNewer, unreadableRecord } from '../record/index.ts';
import { writeFailure, writeWhole } from './attempt-file.ts';
import { lastRun, noteLastRun } from './last-run.ts';

/** The paths of one run on disk. */
export interface RunFolder {
  runId: string;
  path: string;
  audit: string;
  /** Default workspace of a run. */
  work: string;
}

export function runFolderAt(folder: string): RunFolder {
  const at = (name: string) => path.join(folder, name);
  return { runId: path.basename(folder), path: folder, audit: at(AUDIT_FOLDER), work: at(WORK_FOLDER) };
}

/** Creates the folder of a new run in `runsRoot`; calls `announce` before it exists. */
export function createRunFolder(
  runsRoot: string,
  engine: string,
  { announce, now = new Date() }: { announce?: (folder: RunFolder) => void; now?: Date } = {},
): RunFolder {
  const folder = runFolderAt(path.join(runsRoot, newRunId(engine, now)));
  try {
    announce?.(folder);
    fs.mkdirSync(runsRoot, { recursive: true, mode: 0o700 });
    fs.mkdirSync(folder.path, { mode: 0o700 });
    fs.mkdirSync(folder.audit, { mode: 0o700 });
    noteLastRun(folder.path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw writeFailure(folder.path, cause);
    throw new TachoError('DATA_FOLDER_UNWRITABLE', `runs cannot be kept in ${runsRoot}: ${(cause as Error).message}`, {
      facts: { path: runsRoot, errno: code },
      cause,
      fix: 'Make the folder writable, or choose another with --data or TACHO_HOME.',
    });
  }
  return folder;
}

/** The handle begins with the millisecond, so that runs of the same second are sorted too. */
function newRunId(engine: string, now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  const millisecond = now.getMilliseconds().toString(16).padStart(3, '0');
  return `${stamp}-${engine}-${millisecond}${randomBytes(3).toString('hex').slice(1)}`;
}

/** Finds a run by id, handle, a prefix of either, `last`, `last~1` (the one before), or a path. */
export function findRun(runsRoot: string, selector: string): RunFolder {
  if (selector.includes('/') || selector === '.') return runAtPath(path.resolve(selector));
  const ids = listRunIds(runsRoot);
  const back = /^last(?:~(\d{1,9}))?$/.exec(selector);
  const matches = back ? runBefore(runsRoot, ids, Number(back[1] ?? 0)) : matchSelector(ids, selector);
  if (matches.length === 1) return runFolderAt(path.join(runsRoot, matches[0]!));
  if (matches.length > 1) {
    throw new TachoError('RUN_AMBIGUOUS', `"${selector}" matches ${matches.length} runs: ${matches.join(', ')}`, {
      facts: { selector, candidates: matches },
      fix: 'Use the whole run id.',
    });
  }
  throw new TachoError('RUN_NOT_FOUND', `no run matches "${selector}" in ${runsRoot}`, {
    facts: { selector, runs_root: runsRoot },
    fix: 'List runs with: tacho runs',
  });
}

/** The run `back` runs before the last one, if it exists. */
function runBefore(runsRoot: string, ids: readonly string[], back: number): string[] {
  const last = lastRun(runsRoot) ?? ids.at(-1);
  const others = ids.filter((id) => id !== last);
  const found = back === 0 ? last : others.at(-back);
  return found === undefined ? [] : [found];
}

/** Exact matches take precedence over prefixes; a complete handle is never a prefix, even if it looks like a date. */
function matchSelector(ids: readonly string[], selector: string): string[] {
  const exact = ids.filter((id) => id === selector || id.endsWith(`-${selector}`));
  if (exact.length > 0 || selector.length < 2 || HANDLE_PATTERN.test(selector)) return exact;
  return ids.filter((id) => id.startsWith(selector) || id.slice(id.lastIndexOf('-') + 1).startsWith(selector));
}

function runAtPath(folder: string): RunFolder {
  const id = path.basename(folder);
  if (RUN_ID_PATTERN.test(id) && fs.existsSync(path.join(folder, AUDIT_FOLDER))) return runFolderAt(folder);
  throw new TachoError('RUN_NOT_FOUND', `${folder} is not a run folder`, {
    facts: { path: folder },
    fix: 'Give the folder that holds .audit and .run.json, or a handle from: tacho runs',
  });
}

/** Ids of all runs, oldest first. */
export function listRunIds(runsRoot: string): string[] {
  let names: string[];
  try {
    names = fs.readdirSync(runsRoot);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new TachoError('DATA_FOLDER_UNWRITABLE', `${runsRoot} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  return names.filter((name) => RUN_ID_PATTERN.test(name)).sort(byAge);
}

/** By second, then millisecond; the engine's name in between is ignored. */
function byAge(one: string, other: string): number {
  const age = (id: string) => id.slice(0, 15) + id.slice(-8);
  return age(one) < age(other) ? -1 : 1;
}

export function handleOf(runId: string): string {
  const handle = runId.slice(-8);
  if (!HANDLE_PATTERN.test(handle)) throw new TachoError('INTERNAL', `run id without a handle: ${runId}`);
  return handle;
}

/** The record of a run that will be continued or changed. Rejects one of a newer version of tacho. */
export function readRunRecord(folder: RunFolder): RunRecord {
  return refuseNewer(readShownRecord(folder), path.join(folder.path, RUN_RECORD_FILE));
}

/** The record of a run for display only; accepts one of a newer version of tacho. */
export function readShownRecord(folder: RunFolder): RunRecord {
  const file = path.join(folder.path, RUN_RECORD_FILE);
  let text = '';
  try {
    text = readRegularFile(file);
  } catch (cause) {
    throw unreadableRecord(file, (cause as Error).message, cause);
  }
  return parseRunRecord(text, file);
}

/**
 * Replaces the record atomically; readers see the old or the new one. The final state of an attempt is written durably.
 * Returns the written text.
 */
export function writeRunRecord(folder: RunFolder, record: RunRecord): string {
  const content = `${JSON.stringify(record, null, 2)}\n`;
  writeWhole(path.join(folder.path, RUN_RECORD_FILE), content, { replace: true, durable: record.live === null });
  return content;
}

/** The next attempt number: higher than every attempt with any file, so that none is ever overwritten. */
export function nextAttempt(folder: RunFolder): number {
  let highest = 0;
  for (const name of fs.readdirSync(folder.audit)) {
    const match = /^(?:meta|stdin|stdout|stderr|pty-output|fs-before|seal)\.(\d+)\.(?:json|log)$/.exec(name);
    if (match) highest = Math.max(highest, Number(match[1]));
  }
  return highest + 1;
}
