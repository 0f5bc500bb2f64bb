// Appends a tenth of the events, waits for a line on stdin, then appends the rest as fast as it can.
import { once } from 'node:events';
import { createFileJournal } from '../../../src/journal/index.ts';
import type { RaspDraft } from '../../../src/protocol/index.ts';

const [run, folder, count, fsync = 'off'] = process.argv.slice(2) as [string, string, string, 'off' | undefined];
const total = Number(count);
const journal = createFileJournal({ locate: () => folder, fsync, fsyncIntervalMs: 20 });
const { epoch, lastSeq } = await journal.claim(run);
let seq = lastSeq;
await appendUpTo(total / 10);
console.log('begun');
await once(process.stdin, 'data');
await appendUpTo(total);
await journal.release(run, epoch);
console.log(`appended ${seq}`);
process.exit();

async function appendUpTo(end: number): Promise<void> {
  while (seq < end) {
    const size = Math.min(end - seq, 1 + (seq % 23));
    const drafts = Array.from({ length: size }, (_, index): RaspDraft => {
      const text = `${seq + index} `.repeat(1 + ((seq + index) % 90));
      return {
        ts: new Date().toISOString(),
        attempt_number: 1,
        source: { engine: 'text', parser: 'text', stream: 'stdout', confidence: 0.2 },
        event: { category: 'raw', type: 'raw.stdout' },
        data: { text, lines: 1 },
        correlation: {},
        raw_ref: null,
      };
    });
    const result = await journal.append(run, epoch, seq, drafts);
    if (!result.ok) throw new Error(result.reason);
    seq = result.lastSeq;
  }
}
