// Follows a run up to a given seq; prints when it has started and what it saw.
import { createFileJournal } from '../../../src/journal/index.ts';

const [run, folder, lastSeq] = process.argv.slice(2) as [string, string, string];
const journal = createFileJournal({ locate: () => folder, fsync: 'off' });
const stop = new AbortController();
let seen = 0;
let wrong = 0;
console.log('ready');
for await (const events of journal.tail(run, 0, { signal: stop.signal })) {
  if (seen === 0) console.log('begun');
  for (const event of events) {
    if (event.seq !== ++seen) wrong++;
  }
  if (seen >= Number(lastSeq)) stop.abort();
}
console.log(JSON.stringify({ seen, wrong }));
process.exit();
