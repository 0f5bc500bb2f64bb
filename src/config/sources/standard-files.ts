import os from 'node:os';
import path from 'node:path';

export const ENV_FILE = '.env';

/** A file with a fixed location. */
export interface StandardFile {
  path: string;
  /** The path as the user knows it. */
  name: string;
}

/** The settings of the folder. */
export function workspaceFile(workspaceRoot: string): StandardFile {
  const name = 'config/tacho.yaml';
  return { path: path.join(workspaceRoot, name), name };
}

/** The user's settings for all folders, in the data folder. */
export function userFile(dataFolder: string): StandardFile {
  const file = path.join(path.resolve(dataFolder), 'config.yaml');
  const home = `${os.homedir()}/`;
  return { path: file, name: file.startsWith(home) ? `~/${file.slice(home.length)}` : file };
}
