// Claims the run in each folder given on stdin and prints the result. Holds its claims until it is ended.
import { createInterface } from 'node:readline';
import { createFileJournal } from '../../../src/journal/index.ts';
import { TachoError } from '../../../src/protocol/index.ts';

const [run] = process.argv.slice(2) as [string];
console.log('ready');
for await (const folder of createInterface({ input: process.stdin })) {
  try {
    const { epoch } = await createFileJournal({ locate: () => folder, fsync: 'off' }).claim(run);
    console.log(`won ${epoch}`);
  } catch (error) {
    console.log(error instanceof TachoError ? `${error.code} ${error.facts.pid}` : `bug ${error}`);
  }
}
