import fs from 'node:fs';
import path from 'node:path';

/** Searched if there is no PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';

/** The file that a program name refers to in an environment and folder; null if none is executable. */
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
