import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileJournal, type FsyncMode } from '../src/journal/index.ts';
import { RASP_VERSION, type RaspDraft } from '../src/protocol/index.ts';
import type { Row } from './row.ts';

export const name = 'journal append';
export const goal = '≥ 100 k events/s with chain';
export const about =
  'Events of about 300 bytes appended to a run’s journal in batches of 16, numbered, chained by hash and indexed. Peer: the ' +
  'same events as bare JSON lines, one write a batch, with no chain and no fsync.';

const RUN = '20261115T080000-codex-0123abcd';
const BATCH = 16;
const ROUNDS = 5;

/**
 * Chained append compared with a bare JSONL writer of the same events, in turns so that both run under the same load.
 */
export async function run(): Promise<Row[]> {
  const batches = makeBatches(60_000);
  await chained(batches, 'off');
  bare(batches);
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await chained(batches, 'off'));
    peer.push(bare(batches));
  }
  const interval = await chained(batches, 'interval');
  const each = await chained(makeBatches(6_000), 'each');
  const bareRate = median(peer);
  const row = (what: string, rate: number, met: boolean | null): Row => ({
    what,
    ours: perSecond(rate),
    peer: perSecond(bareRate),
    peerName: 'bare JSONL, no chain, no fsync',
    ratio: rate / bareRate,
    goal: met === null ? '–' : goal,
    met,
  });
  return [
    row(`append, batches of ${BATCH}, fsync off`, median(ours), median(ours) >= 100_000),
    row(`append, batches of ${BATCH}, fsync interval`, interval, interval >= 100_000),
    { ...row(`append, batches of ${BATCH}, fsync each`, each, null), note: 'bound by the disk: one fdatasync a batch' },
  ];
}

/** Events whose lines are about 300 bytes without the chain, like those of a chatty engine. */
function makeBatches(events: number): RaspDraft[][] {
  const batches: RaspDraft[][] = [];
  for (let n = 0; n < events; n += BATCH) {
    batches.push(Array.from({ length: BATCH }, (_, index) => draft(n + index)));
  }
  return batches;
}

function draft(n: number): RaspDraft {
  const byte_from = n * 60;
  return {
    ts: new Date(1_763_000_000_000 + n).toISOString(),
    attempt_number: 1,
    source: { engine: 'codex', parser: 'codex_ndjson', stream: 'stdout', confidence: 0.95 },
    event: { category: 'raw', type: 'raw.stdout' },
    data: { text: `line ${n} of some output`, lines: 1 },
    correlation: {},
    raw_ref: { attempt_number: 1, stream: 'stdout', byte_from, byte_to: byte_from + 60 },
  };
}

async function chained(batches: RaspDraft[][], fsync: FsyncMode): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-bench-'));
  try {
    const journal = createFileJournal({ locate: () => folder, fsync, fsyncIntervalMs: 50 });
    const { epoch } = await journal.claim(RUN);
    let seq = 0;
    const start = performance.now();
    for (const batch of batches) {
      const result = await journal.append(RUN, epoch, seq, batch);
      if (!result.ok) throw new Error(result.reason);
      seq = result.lastSeq;
    }
    await journal.release(RUN, epoch);
    return seq / ((performance.now() - start) / 1000);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bare(batches: RaspDraft[][]): number {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-bench-'));
  try {
    const fd = openSync(join(folder, 'events.jsonl'), 'a', 0o600);
    let seq = 0;
    const start = performance.now();
    for (const batch of batches) {
      let text = '';
      for (const draft of batch) {
        seq++;
        text += `${JSON.stringify({ protocol_version: RASP_VERSION, run_id: RUN, seq, ...draft })}\n`;
      }
      writeSync(fd, text);
    }
    closeSync(fd);
    return seq / ((performance.now() - start) / 1000);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function perSecond(rate: number): string {
  return `${(rate / 1000).toFixed(0)} k/s`;
}
