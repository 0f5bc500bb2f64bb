import fs from 'node:fs';
import path from 'node:path';
import { CONVERSATION_FILE, RUN_RECORD_FILE, TachoError } from '../../protocol/index.ts';
import { type OpenTerminal, type RunFolder, readShownRecord } from '../../recording/index.ts';
import type { Database } from '../../storage/index.ts';
import { putRun, removeRun } from './run-rows.ts';
import { indexScreens, isSearchedByScreen } from './screen-pages.ts';
import { indexNextPage } from './word-pages.ts';

/**
 * Updates one run from its folder, in small complete steps: other work may run in between, even on the same run. Throws
 * errors of the record. With `later`, the text of screens is left for another read.
 */
export function* readRun(
  database: Database,
  folder: RunFolder,
  screens: { openTerminal: OpenTerminal | undefined } | 'later',
): Generator<void, { complete: boolean }> {
  const stamp = stampOf(folder);
  if (stamp === '') {
    removeRun(database, folder.runId);
    return { complete: true };
  }
  const record = readShownRecord(folder);
  if (record.run_id !== folder.runId) {
    throw new TachoError('RUN_RECORD_CORRUPT', `${folder.path} holds the record of run ${record.run_id}`, {
      facts: { path: folder.path },
      fix: 'Give the folder the name of its run, or move it out of the data folder.',
    });
  }
  putRun(database, record);
  yield;
  while (indexNextPage(database, folder.runId, conversationFileOf(folder))) yield;
  if (isSearchedByScreen(record)) {
    if (screens === 'later') return { complete: false };
    if (screens.openTerminal) yield* indexScreens(database, folder, record, screens.openTerminal);
  }
  // A run without a recorder has no new messages until its record, and so its stamp, changes. Another reader may have
  // read a newer record meanwhile: do not replace its stamp.
  if (record.live === null && stampOf(folder) === stamp)
    database.run('UPDATE runs SET stamp = ? WHERE run_id = ?', stamp, folder.runId);
  return { complete: true };
}

/** Changes whenever the record is replaced; empty without a record. */
export function stampOf(folder: RunFolder): string {
  try {
    const { ino, mtimeNs, size } = fs.statSync(path.join(folder.path, RUN_RECORD_FILE), { bigint: true });
    return `${ino}.${mtimeNs}.${size}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? '' : 'unreadable';
  }
}

export function conversationFileOf(folder: RunFolder): string {
  return path.join(folder.audit, CONVERSATION_FILE);
}
