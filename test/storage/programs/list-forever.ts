// Lists what is in the index, saying how many runs there are whenever that has changed, until its input ends.
import { writeSync } from 'node:fs';
import { openRunIndexReader } from '../../../src/runs/run-index/run-index.ts';

const [file] = process.argv.slice(2) as [string];
const index = await openRunIndexReader(file);
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();
let said = '';
for (;;) {
  const { records, total } = index.list({ limit: 20 });
  const found = index.list({ limit: 20, q: 'number' }).records.length;
  const line = `${total} ${records.length} ${found}\n`;
  if (line !== said) writeSync(1, line);
  said = line;
  if (ended) break;
  await new Promise(setImmediate);
}
index.close();
