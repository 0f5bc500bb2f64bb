// Entry point of the single executable: the command itself, and the programs that are otherwise built next to it.

import { runCommandLine } from './command-line.ts';
import { untilDone } from './until-done.ts';

untilDone(begin(process.argv.slice(2)));

async function begin([first, ...rest]: string[]): Promise<void> {
  if (first === 'child-agent') {
    const { runChild } = await import('../runtime/agents/run-child.ts');
    return runChild();
  }
  if (first !== 'demo-agent') return runCommandLine(process.argv.slice(2));
  const { runAgent } = await import('../demo/agent/run-agent.ts');
  process.exitCode = await runAgent(rest);
}
