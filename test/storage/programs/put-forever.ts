// Records runs and puts them into the index; prints each one once it is stored, until it is killed.
import { writeSync } from 'node:fs';
import { openRunIndex } from '../../../src/runs/index/run-index.ts';
import { RecordedRuns } from '../recorded-runs.ts';

const [home, file] = process.argv.slice(2) as [string, string];
const runs = new RecordedRuns(home, { salt: process.pid });
const index = await openRunIndex({ file, runsRoot: runs.root });
for (let number = 0; ; number++) {
  const record = runs.add({ status: number % 3 === 0 ? 'running' : 'succeeded' }, [`number ${number}`]);
  index.put(record);
  if (number % 50 === 0) index.list({ q: 'number', limit: 1 });
  writeSync(1, `${record.run_id}\n`);
  if (number % 20 === 0) await new Promise(setImmediate);
}
