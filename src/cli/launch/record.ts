// The commands that record an attempt: one of the bundles that the launcher loads with their compiled code.

import { registerResume, registerRun, registerSupervise } from '../commands/run.ts';
import { runProgram } from '../program.ts';

export function runCommandLine(argv: readonly string[]): Promise<void> {
  return runProgram(argv, [registerRun, registerResume, registerSupervise]);
}
