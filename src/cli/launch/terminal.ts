// The terminals of a workspace and their daemon: one of the bundles that the launcher loads with their compiled code.

import { registerRuntime } from '../commands/runtime.ts';
import { registerTerminal } from '../commands/terminal.ts';
import { runProgram } from '../program.ts';

export function runCommandLine(argv: readonly string[]): Promise<void> {
  return runProgram(argv, [argv[0] === 'runtime' ? registerRuntime : registerTerminal]);
}
