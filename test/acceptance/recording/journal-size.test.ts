import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileJournal, type Journal } from '../../../src/journal/index.ts';
import type { RaspDraft, RaspEvent } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { projectRoot, temporaryFolder } from '../../support/tacho.ts';

const RUN = '20260101T000000-text-0123abcd';
const START = Date.UTC(2026, 0, 1);

// bench/journal-seek.ts measures the time of a seek; this test checks why it is short: it reads few blocks.
describe('a long journal is searched without reading all of it, and followed while it grows', () => {
  const size = proofSize({ small: 100_000, full: 1_000_000 });

  test(`a seek in ${size} events reads a few blocks, whatever the size of the log`, { timeout: 600_000 }, async () => {
    const folder = temporaryFolder();
    const journal = journalIn(folder);
    await fill(journal, size);
    const rss = process.memoryUsage().rss;
    for (let probe = 1; probe <= 50; probe++) {
      const seq = Math.floor((size * probe) / 51);
      const bySeq = await costOf(() => first(journal, { afterSeq: seq - 1, limit: 1 }));
      expect(bySeq.event.seq).toBe(seq);
      const byTime = await costOf(() => first(journal, { fromTs: new Date(START + seq).toISOString(), limit: 1 }));
      expect(byTime.event.seq).toBe(seq);
      // The index is 48 bytes for every 64 KiB or 256 events of the log.
      const index = fs.statSync(path.join(folder, 'events.idx')).size;
      for (const { bytes } of [bySeq, byTime]) expect(bytes).toBeLessThan(index + 1_000_000);
    }
    expect(process.memoryUsage().rss - rss).toBeLessThan(64 * 1024 * 1024);
  });

  test('a reader that starts while a writer appends sees each event exactly once', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder();
    const events = proofSize({ small: 20_000, full: 100_000 });
    fs.mkdirSync(folder, { recursive: true });
    const writer = startWriter(folder, events);
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const batch of journalIn(folder).tail(RUN, 0, { signal: stop.signal })) {
      for (const { seq } of batch) seen.push(seq);
      if (seen.at(-1) === events) stop.abort();
    }
    expect(seen).toHaveLength(events);
    expect(seen.every((seq, index) => seq === index + 1)).toBe(true);
    expect(await exitOf(writer)).toBe(0);
  });
});

function journalIn(folder: string): Journal {
  return createFileJournal({ locate: () => folder, fsync: 'off' });
}

async function fill(journal: Journal, size: number): Promise<void> {
  const { epoch } = await journal.claim(RUN);
  for (let seq = 0; seq < size; seq += 500) {
    const drafts = Array.from({ length: 500 }, (_, index) => draft(seq + index + 1));
    expect((await journal.append(RUN, epoch, seq, drafts)).ok).toBe(true);
  }
  await journal.release(RUN, epoch);
}

function draft(seq: number): RaspDraft {
  return {
    ts: new Date(START + seq).toISOString(),
    attempt_number: 1,
    source: { engine: 'text', parser: 'text', stream: 'stdout', confidence: 1 },
    event: { category: 'raw', type: 'raw.stdout' },
    data: { text: `line ${seq}\n`, lines: 1 },
    correlation: {},
    raw_ref: { attempt_number: 1, stream: 'stdout', byte_from: seq * 10, byte_to: seq * 10 + 10 },
  };
}

async function first(journal: Journal, range: Parameters<Journal['read']>[1]): Promise<RaspEvent> {
  for await (const batch of journal.read(RUN, range)) if (batch[0]) return batch[0];
  throw new Error('nothing found');
}

/** Bytes that this process read from files meanwhile, by the kernel's counter. */
async function costOf(work: () => Promise<RaspEvent>): Promise<{ event: RaspEvent; bytes: number }> {
  const readBytes = () => Number(/rchar: (\d+)/.exec(fs.readFileSync('/proc/self/io', 'utf8'))![1]);
  const before = readBytes();
  const event = await work();
  return { event, bytes: readBytes() - before };
}

function startWriter(folder: string, events: number): ChildProcess {
  const program = path.join(projectRoot, 'test/acceptance/recording/programs/append-events.ts');
  return spawn(process.execPath, ['--import', 'tsx', program, folder, RUN, String(events)], {
    stdio: 'inherit',
    cwd: projectRoot,
  });
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => (child.exitCode === null ? child.on('exit', resolve) : resolve(child.exitCode)));
}
