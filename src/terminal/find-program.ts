import fs from 'node:fs';
import path from 'node:path';

/** Where a search without a PATH looks. */
const DEFAULT_PATH = '/usr/bin:/bin';

/** The file that a program's name means in an environment and folder; null when there is none that can be run. */
export function findProgram(name: string, { env, cwd }: { env: Record<string, string>; cwd: string }): string | null {
  const folders = name.includes('/') ? [''] : (env.PATH ?? DEFAULT_PATH).split(':');
  for (const folder of folders) {
    const file = path.resolve(cwd, folder, name);
    if (isProgram(file)) return file;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
