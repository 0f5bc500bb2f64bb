import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileJournal, type Journal, nodeSha256, type ReadRange } from '../src/journal/index.ts';
import { EVENTS_FILE, type RaspDraft } from '../src/protocol/index.ts';
import { verifyChain } from '../src/record/index.ts';
import { openRecordFile } from '../src/recording/index.ts';
import type { Row } from './row.ts';
import { quantile } from './support/figures.ts';

export const name = 'journal seek';
export const goal = '≤ 20 ms in 1 M events, memory flat';
export const about =
  'One event of a million is looked up by its number or its time, each time by a reader that has nothing in memory yet. ' +
  'Peer: reading the log from its start until the last event comes. Checking the hash chain of all of it is there for ' +
  'information.';

const RUN = '20261115T080000-codex-0123abcd';
const EVENTS = 1_000_000;
const BATCH = 500;
const SEEKS = 200;
const FIRST_TIME = 1_763_000_000_000;
const GOAL_MS = 20;

/** Finding one event by seq or by time, each with a new reader, compared with reading up to it. */
export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-bench-'));
  try {
    await fill(folder);
    const fullScan = await timed(() => scanUntil(folder, EVENTS));
    const before = process.memoryUsage.rss();
    const bySeq = await seeks(folder, (seq) => ({ afterSeq: seq - 1, limit: 1 }));
    const byTime = await seeks(folder, (seq) => ({ fromTs: timeOf(seq), toTs: timeOf(seq) }));
    const grownMiB = (process.memoryUsage.rss() - before) / 1024 / 1024;
    const log = (await openRecordFile(join(folder, EVENTS_FILE)))!;
    const verify = await timed(() => verifyChain(log, { runId: RUN, sha256: nodeSha256 }));
    await log.close();
    const row = (what: string, times: number[]): Row => ({
      what,
      ours: `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
      peer: `${fullScan.toFixed(0)} ms`,
      peerName: 'full scan of the log',
      ratio: quantile(times, 0.5) / fullScan,
      goal: `p99 ≤ ${GOAL_MS} ms`,
      met: quantile(times, 0.99) <= GOAL_MS,
      note: `${SEEKS} cold readers; RSS grew ${grownMiB.toFixed(0)} MiB over all of them`,
    });
    return [
      row('seek by seq in 1 M events', bySeq),
      row('seek by time in 1 M events', byTime),
      {
        what: 'verify the chain of 1 M events',
        ours: `${(EVENTS / verify).toFixed(0)} k lines/s`,
        peer: `${(EVENTS / fullScan).toFixed(0)} k lines/s`,
        peerName: 'full scan of the log',
        ratio: fullScan / verify,
        goal: '–',
        met: null,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function open(folder: string): Journal {
  return createFileJournal({ locate: () => folder, fsync: 'off' });
}

async function fill(folder: string): Promise<void> {
  const journal = open(folder);
  const { epoch } = await journal.claim(RUN);
  for (let seq = 0; seq < EVENTS; seq += BATCH) {
    const drafts = Array.from({ length: BATCH }, (_, index) => draft(seq + index + 1));
    const result = await journal.append(RUN, epoch, seq, drafts);
    if (!result.ok) throw new Error(result.reason);
  }
  await journal.release(RUN, epoch);
}

/** Times are slightly out of order, as with two streams. */
function timeOf(seq: number): string {
  return new Date(FIRST_TIME + seq * 10 + (seq % 2 === 0 ? -25 : 0)).toISOString();
}

function draft(seq: number): RaspDraft {
  return {
    ts: timeOf(seq),
    attempt_number: 1,
    source: { engine: 'codex', parser: 'codex_ndjson', stream: 'stdout', confidence: 0.95 },
    event: { category: 'raw', type: 'raw.stdout' },
    data: { text: `line ${seq}`, lines: 1 },
    correlation: {},
    raw_ref: null,
  };
}

async function scanUntil(folder: string, wanted: number): Promise<void> {
  for await (const lines of open(folder).readLines(RUN)) {
    if (lines.at(-1)!.seq >= wanted) return;
  }
}

async function seeks(folder: string, rangeOf: (seq: number) => ReadRange): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < SEEKS; n++) {
    const seq = 1 + Math.floor(Math.random() * EVENTS);
    times.push(
      await timed(async () => {
        const found: number[] = [];
        for await (const events of open(folder).read(RUN, rangeOf(seq))) {
          for (const event of events) found.push(event.seq);
        }
        if (!found.includes(seq)) throw new Error(`event ${seq} was not found`);
      }),
    );
  }
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
