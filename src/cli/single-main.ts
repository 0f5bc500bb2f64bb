// Where the single executable begins: it is the command, and the programs that are built beside the command otherwise.

import { runCommandLine } from './command-line.ts';

/** What Node itself exits with when a program has nothing left to wait for and is not done. */
const NEVER_DONE = 13;

let done = false;
void begin(process.argv.slice(2)).then(() => {
  done = true;
});
// It is a CommonJS file, so there is no `await` at its top that would say so.
process.once('beforeExit', () => {
  if (!done) process.exitCode = NEVER_DONE;
});

async function begin([first, ...rest]: string[]): Promise<void> {
  if (first !== 'demo-agent') return runCommandLine(process.argv.slice(2));
  const { runAgent } = await import('../demo/agent/run-agent.ts');
  process.exitCode = await runAgent(rest);
}
