import os from 'node:os';
import path from 'node:path';

/** Where tacho keeps what it keeps: as said on the command line, by TACHO_HOME, or in the home of the user. */
export function dataFolderOf(env: Readonly<Record<string, string | undefined>>, override?: string): string {
  return path.resolve(override ?? (env.TACHO_HOME || path.join(os.homedir(), '.tacho')));
}
