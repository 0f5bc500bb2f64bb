import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEngine } from '../src/engines/index.ts';
import { createFileJournal } from '../src/journal/index.ts';
import type { Row } from './row.ts';
import { codexLog } from './support/codex-log.ts';
import { median } from './support/figures.ts';

export const name = 'parse codex NDJSON to RASP and append';
export const goal = '≤ 3× JSON.parse of the same bytes';
export const about =
  'A log of codex events (messages, reasoning, commands with 0.2 to 16 kB of output), cut into lines, read, turned into events, numbered, ' +
  'chained and written to a journal without fsync. Peer: JSON.parse of every line of the same bytes, and nothing else.';

const RUN = '20261115T080000-codex-0123abcd';
const ROUNDS = 5;
const CHUNK = 64 * 1024;

export async function run(): Promise<Row[]> {
  const log = codexLog(24 * 1024 * 1024);
  await parseAndAppend(log);
  parseOnly(log);
  plainParse(log);
  const whole: number[] = [];
  const reading: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(plainParse(log));
    reading.push(parseOnly(log));
    whole.push(await parseAndAppend(log));
  }
  const peer = median(plain);
  const row = (what: string, time: number, counts: boolean): Row => ({
    what,
    ours: rate(log.length, time),
    peer: rate(log.length, peer),
    peerName: 'JSON.parse of every line',
    ratio: time / peer,
    goal: counts ? goal : '–',
    met: counts ? time / peer <= 3 : null,
  });
  return [
    row('codex log to events in the journal', median(whole), true),
    row('codex log to events, not kept', median(reading), false),
  ];
}

async function parseAndAppend(log: Buffer): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-bench-'));
  try {
    const journal = createFileJournal({ locate: () => folder, fsync: 'off', fsyncIntervalMs: 1000 });
    const { epoch } = await journal.claim(RUN);
    const parser = newParser();
    let seq = 0;
    const start = performance.now();
    for (let at = 0; at < log.length; at += CHUNK) {
      const drafts = parser.push('stdout', log.subarray(at, at + CHUNK), 1_763_000_000_000 + at / CHUNK);
      if (drafts.length === 0) continue;
      const result = await journal.append(RUN, epoch, seq, drafts);
      if (!result.ok) throw new Error(result.reason);
      seq = result.lastSeq;
    }
    const time = performance.now() - start;
    await journal.release(RUN, epoch);
    return time;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parseOnly(log: Buffer): number {
  const parser = newParser();
  const start = performance.now();
  for (let at = 0; at < log.length; at += CHUNK) {
    parser.push('stdout', log.subarray(at, at + CHUNK), 1_763_000_000_000 + at / CHUNK);
  }
  return performance.now() - start;
}

function newParser() {
  return findEngine('codex')!.parser.create({ attempt: 1, engine: 'codex', origin: {} });
}

function plainParse(log: Buffer): number {
  const start = performance.now();
  let events = 0;
  for (let at = 0; at < log.length; ) {
    const end = log.indexOf(0x0a, at);
    if (JSON.parse(log.toString('utf8', at, end))) events++;
    at = end + 1;
  }
  if (events === 0) throw new Error('no events');
  return performance.now() - start;
}

function rate(bytes: number, ms: number): string {
  return `${(bytes / 1e6 / (ms / 1000)).toFixed(0)} MB/s`;
}
