import fs from 'node:fs';
import path from 'node:path';
import { CONVERSATION_FILE, RUN_RECORD_FILE, TachoError } from '../../protocol/index.ts';
import { type RunFolder, readShownRecord } from '../../recording/index.ts';
import type { Database } from '../../storage/index.ts';
import { putRun, removeRun } from './run-rows.ts';
import { indexNextPage } from './word-pages.ts';

/**
 * Brings one run up to what its folder says, in steps that are small and whole each: between two of them others may
 * work, on the same run too. Throws what is wrong with the record.
 */
export function* readRun(database: Database, folder: RunFolder): Generator<void, void> {
  const stamp = stampOf(folder);
  if (stamp === '') {
    removeRun(database, folder.runId);
    return;
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
  // While nobody records it nothing is said without a new record, which has another stamp. Another reader may have
  // read that one meanwhile: its stamp is not replaced by ours.
  if (record.live === null && stampOf(folder) === stamp)
    database.run('UPDATE runs SET stamp = ? WHERE run_id = ?', stamp, folder.runId);
}

/** Differs whenever the record was replaced; empty where there is none, or none yet. */
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
