// Where the single executable begins: it is the command, and the programs that are built beside the command otherwise.

import { runCommandLine } from './command-line.ts';
import { untilDone } from './until-done.ts';

untilDone(begin(process.argv.slice(2)));

async function begin([first, ...rest]: string[]): Promise<void> {
  if (first !== 'demo-agent') return runCommandLine(process.argv.slice(2));
  const { runAgent } = await import('../demo/agent/run-agent.ts');
  process.exitCode = await runAgent(rest);
}
