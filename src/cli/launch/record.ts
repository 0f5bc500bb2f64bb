// The commands that record an attempt, bundled apart so that the launcher can load them with their compiled code.

import { registerResume, registerRun, registerSupervise } from '../commands/run.ts';
import { runProgram } from '../program.ts';

export function runRecordingCommand(argv: readonly string[]): Promise<void> {
  return runProgram(argv, [registerRun, registerResume, registerSupervise]);
}
