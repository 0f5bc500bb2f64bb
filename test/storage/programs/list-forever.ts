// Lists what is in the index, saying each time how many runs there are, until its input ends.
import { writeSync } from 'node:fs';
import { openRunIndexReader } from '../../../src/runs/run-index/run-index.ts';

const [file] = process.argv.slice(2) as [string];
const index = await openRunIndexReader(file);
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();
for (;;) {
  const { records, total } = index.list({ limit: 20 });
  const found = index.list({ limit: 20, q: 'number' }).records.length;
  writeSync(1, `${total} ${records.length} ${found}\n`);
  if (ended) break;
  await new Promise(setImmediate);
}
index.close();
