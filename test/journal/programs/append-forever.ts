// Appends batches of all sizes, and prints the stored seq after each, until it is killed.
import { writeSync } from 'node:fs';
import { createFileJournal } from '../../../src/journal/index.ts';
import type { RaspDraft } from '../../../src/protocol/index.ts';

const [run, folder] = process.argv.slice(2) as [string, string];
const journal = createFileJournal({ locate: () => folder, fsync: 'off' });
const { epoch, lastSeq } = await journal.claim(run);
writeSync(1, `${epoch} ${lastSeq}\n`);
for (let seq = lastSeq; ; ) {
  const drafts = Array.from({ length: 1 + (seq % 40) }, (_, index): RaspDraft => {
    const text = 'x'.repeat((seq * 7919 + index * 104_729) % 20_000);
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
  writeSync(1, `${epoch} ${seq}\n`);
}
