// Resumes a run, puts contents of all sizes and appends events that name them, some of them durably, and prints the line
// after each acknowledged one, until it is killed.
import { writeSync } from 'node:fs';
import { openWal } from '../../../../src/agent/wal/index.ts';
import type { AgentDraft } from '../../../../src/protocol/index.ts';

const [workspaceRoot, runId] = process.argv.slice(2) as [string, string];
const wal = await openWal({ workspaceRoot, runId, create: false });
writeSync(1, `${wal.lastSeq}\n`);
for (let round = wal.lastSeq; ; round++) {
  const drafts = Array.from({ length: 1 + (round % 5) }, (_, index): AgentDraft => {
    const length = (round * 7919 + index * 104_729) % (round % 37 === 0 ? 700_000 : 5_000);
    const text = `${round} ${index} ${'x'.repeat(length)}`;
    const data = { text: text.slice(0, 2_000), origin: 'send', when: 'now', exact: wal.vault.putJson(text) } as const;
    return { ts: new Date().toISOString(), type: 'user_message', data };
  });
  const { line } = await wal.append(drafts, { durable: round % 6 === 0 });
  writeSync(1, `${line + drafts.length}\n`);
}
