// Entry point of the single executable: the command itself, and the programs that are otherwise built next to it.

import { runCommandLine } from './command-line.ts';
import { untilDone } from './until-done.ts';

untilDone(begin(process.argv.slice(2)));

async function begin([first, ...rest]: string[]): Promise<void> {
  if (first === 'demo-agent') {
    const { runAgent } = await import('../demo/agent/run-agent.ts');
    process.exitCode = await runAgent(rest);
  } else if (first === 'agent-engine') {
    const { runEngine } = await import('../agent/engine/run-engine.ts');
    const { workspaceRuntime } = await import('../runtime/port/index.ts');
    process.exit(await runEngine(rest, { runtime: workspaceRuntime }));
  } else if (first === 'child-agent') {
    const { runChild } = await import('../runtime/agents/run-child.ts');
    await runChild();
  } else await runCommandLine(process.argv.slice(2));
}
