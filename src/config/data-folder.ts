import os from 'node:os';
import path from 'node:path';

/** The data folder: from the command line, TACHO_HOME, or the user's home. */
export function dataFolderOf(env: Readonly<Record<string, string | undefined>>, override?: string): string {
  return path.resolve(override ?? (env.TACHO_HOME || path.join(os.homedir(), '.tacho')));
}
