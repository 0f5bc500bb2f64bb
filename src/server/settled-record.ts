import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded, type RunRecord } from '../protocol/index.ts';
import { type RunFolder, readShownRecord } from '../recording/index.ts';
import { journalHead } from './streams/rasp-source.ts';

/** Between the last event of a run and its record stand the seal and its hashes; after a crash, its recovery. */
const SEALING_MS = 10_000;
const LOOK_MS = 25;

/** The record of a run. Whoever has read the last event finds that the run has ended, however quickly they ask. */
export async function settledRecord(folder: RunFolder): Promise<RunRecord> {
  const deadline = Date.now() + SEALING_MS;
  for (;;) {
    const record = readShownRecord(folder);
    if (isOver(record) || Date.now() > deadline || !(await journalHead(folder)).terminal) return record;
    await delay(LOOK_MS);
  }
}

export function isOver({ status, live }: RunRecord): boolean {
  return live === null && hasEnded({ status });
}
