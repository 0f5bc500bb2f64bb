// Appends N events in batches of varying size: the writer of journal-size.test.ts.
import { createFileJournal } from '../../../../src/journal/index.ts';
import type { RaspDraft } from '../../../../src/protocol/index.ts';

const [folder, run, count] = process.argv.slice(2) as [string, string, string];
const total = Number(count);
const journal = createFileJournal({ locate: () => folder, fsync: 'off' });
const { epoch } = await journal.claim(run);
for (let seq = 0, batch = 1; seq < total; batch = (batch % 37) + 1) {
  const size = Math.min(batch, total - seq);
  const drafts = Array.from(
    { length: size },
    (_, index): RaspDraft => ({
      ts: new Date().toISOString(),
      attempt_number: 1,
      source: { engine: 'text', parser: 'text', stream: 'stdout', confidence: 1 },
      event: { category: 'raw', type: 'raw.stdout' },
      data: { text: `event ${seq + index}\n`, lines: 1 },
      correlation: {},
      raw_ref: null,
    }),
  );
  const result = await journal.append(run, epoch, seq, drafts);
  if (!result.ok) throw new Error(result.reason);
  seq = result.lastSeq;
  // Yield to the reader between some batches.
  if (batch === 37) await new Promise((resolve) => setImmediate(resolve));
}
await journal.release(run, epoch);
