import { TachoError } from '../../protocol/index.ts';
import { resolveCommand } from '../../runs/index.ts';

/** Whether a word names a program, on PATH or by its path. */
export function isProgram(word: string, folder = process.cwd()): boolean {
  try {
    resolveCommand(word, folder, process.env.PATH ?? '');
    return true;
  } catch (error) {
    return error instanceof TachoError && error.code === 'COMMAND_NOT_EXECUTABLE';
  }
}
