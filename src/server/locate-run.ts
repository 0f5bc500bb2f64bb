import fs from 'node:fs';
import path from 'node:path';
import { EVENTS_FILE, HANDLE_PATTERN, RUN_ID_PATTERN, RUN_RECORD_FILE, TachoError } from '../protocol/index.ts';
import { listRunIds, nextAttempt, type RunFolder, runFolderAt } from '../recording/index.ts';

/**
 * Finds a run by its complete id or handle; over the network, prefixes and paths are not accepted. A program may have
 * replaced a folder by a link; links in place of files are never followed, see `files/regular-file.ts`.
 */
export function locateRun(runsRoot: string, selector: string): RunFolder {
  const folder = runFolderAt(path.join(runsRoot, findId(runsRoot, selector)));
  // These files are required; other files that a program has replaced are ignored.
  const regular = [path.join(folder.path, RUN_RECORD_FILE), path.join(folder.audit, EVENTS_FILE)];
  const isComplete =
    [folder.path, folder.audit].every((place) => kindOf(place) === 'folder') &&
    regular.every((place) => kindOf(place) !== 'other' && kindOf(place) !== 'folder');
  if (!isComplete) throw runNotFound(selector);
  return folder;
}

function findId(runsRoot: string, selector: string): string {
  if (RUN_ID_PATTERN.test(selector)) return selector;
  if (!HANDLE_PATTERN.test(selector)) throw runNotFound(selector);
  const ids = listRunIds(runsRoot).filter((id) => id.endsWith(`-${selector}`));
  if (ids.length === 1) return ids[0]!;
  if (ids.length === 0) throw runNotFound(selector);
  throw new TachoError('RUN_AMBIGUOUS', `"${selector}" is the handle of ${ids.length} runs`, {
    facts: { selector, candidates: ids },
    fix: 'Use the whole run id.',
  });
}

export function runNotFound(selector: string): TachoError {
  return new TachoError('RUN_NOT_FOUND', `there is no run ${JSON.stringify(selector.slice(0, 100))}`, {
    fix: 'List runs with GET /v1/runs.',
  });
}

/** Path of a regular file of the record, never of a link; null if it does not exist. */
export function recordFile(folder: RunFolder, ...name: string[]): string | null {
  const file = path.join(folder.audit, ...name);
  const parent = path.dirname(file);
  if (parent !== folder.audit && kindOf(parent) !== 'folder') return null;
  return kindOf(file) === 'file' ? file : null;
}

export function requireAttempt(folder: RunFolder, attempt: number | undefined): number {
  const last = nextAttempt(folder) - 1;
  const chosen = attempt ?? last;
  if (chosen >= 1 && chosen <= last) return chosen;
  throw new TachoError('ATTEMPT_NOT_FOUND', `${folder.runId} has no attempt ${attempt ?? 'yet'}`, {
    facts: { attempt: attempt ?? null, attempts: last },
  });
}

function kindOf(place: string): 'file' | 'folder' | 'other' | 'nothing' {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return 'nothing';
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
}
