// The terminals of a workspace and their daemon: one of the bundles that the launcher loads with their compiled code.

import { registerCompleteSessions } from '../commands/completion.ts';
import { registerAttach } from '../commands/run.ts';
import { registerRuntime } from '../commands/runtime.ts';
import { registerTerminal } from '../commands/terminal.ts';
import { type Register, runProgram } from '../program.ts';
import type { COMMANDS_OF } from './bundles.ts';

type Name = (typeof COMMANDS_OF)['terminal'][number];

const COMMANDS: Record<Name, Register> = {
  attach: registerAttach,
  terminal: registerTerminal,
  runtime: registerRuntime,
  'complete-sessions': registerCompleteSessions,
};

export function runCommandLine(argv: readonly string[]): Promise<void> {
  return runProgram(argv, [COMMANDS[argv[0] as Name]]);
}
