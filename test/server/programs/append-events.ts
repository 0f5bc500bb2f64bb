import { setTimeout as delay } from 'node:timers/promises';
import { makeRun, rawDraft, statusDraft } from '../support/make-run.ts';

/** Creates a run, prints its id, waits for a line on stdin, and appends events in batches until the run has ended. */
const [home, batches, perBatch, pauseMs] = process.argv.slice(2) as [string, string, string, string];
const run = await makeRun(home);
await run.append([statusDraft('running')]);
process.stdout.write(`${run.folder.runId}\n`);
await new Promise((resolve) => process.stdin.once('data', resolve));
const text = `${'x'.repeat(1000)}\n`;
for (let batch = 0; batch < Number(batches); batch++) {
  await run.append(Array.from({ length: Number(perBatch) }, (_, index) => rawDraft(`${batch}.${index} ${text}`)));
  await delay(Number(pauseMs));
}
await run.append([statusDraft('succeeded')]);
run.setStatus('succeeded');
process.exit(0);
