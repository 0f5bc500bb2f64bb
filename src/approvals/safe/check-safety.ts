import { systemName } from '../shell/program-name.ts';
import type { FoundCommand } from '../shell/report.ts';
import { SAFE_COMMANDS } from './programs.ts';
import { type Safety, unsafe } from './safe-command.ts';

/** Whether a simple command only reads and prints. */
export function checkSafety({ words: [program, ...args] }: FoundCommand): Safety {
  const name = systemName(program);
  const command = name === null ? undefined : SAFE_COMMANDS.get(name);
  return command?.check(args, name!) ?? unsafe('is not known to be safe');
}
