import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';

/** The default search path of a shell. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Finds the program before anything is started or written; the exit codes are those of a shell. */
export function resolveCommand(command: string, cwd: string, searchPath = DEFAULT_PATH): string {
  const candidates = command.includes('/')
    ? [path.resolve(cwd, command)]
    : searchPath
        .split(':')
        .filter(Boolean)
        .map((folder) => path.resolve(cwd, folder, command));
  let found: string | null = null;
  for (const candidate of candidates) {
    if (!isFile(candidate)) continue;
    found ??= candidate;
    try {
      fs.accessSync(candidate, fs.constants.X_OK);
      return candidate;
    } catch {
      // A later folder on PATH may have an executable one.
    }
  }
  if (found) {
    throw new TachoError('COMMAND_NOT_EXECUTABLE', `${found} is not executable`, {
      facts: { command, path: found },
      fix: `Make it executable (chmod +x), or name its interpreter: tacho run -- bash ${command}`,
    });
  }
  throw new TachoError('COMMAND_NOT_FOUND', `${command}: command not found`, {
    facts: { command, searched: command.includes('/') ? candidates : searchPath },
    fix: 'Check the spelling, or give the path of the program. Options of tacho go before the command.',
  });
}

/** A folder on PATH may be missing, a file, or inaccessible: then the program is not there. */
function isFile(candidate: string): boolean {
  try {
    return fs.statSync(candidate).isFile();
  } catch {
    return false;
  }
}
