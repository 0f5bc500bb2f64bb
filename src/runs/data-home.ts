import fs from 'node:fs';
import path from 'node:path';
import { dataFolderOf, makePrivateFolder } from '../config/index.ts';
import { TachoError } from '../protocol/index.ts';

/** The folders of tacho's data. */
export interface DataHome {
  root: string;
  runs: string;
  keys: string;
  /** One link per attempt that is being recorded, so that lost ones are found without a search. */
  live: string;
  /** Homes and temporary folders of recorded programs. */
  managed: string;
  cache: string;
  /** Engines tacho installed. */
  engines: string;
}

export function locateDataHome(env: NodeJS.ProcessEnv, override?: string): DataHome {
  const root = dataFolderOf(env, override);
  return {
    root,
    runs: path.join(root, 'runs'),
    keys: path.join(root, 'keys'),
    live: path.join(root, 'live'),
    managed: path.join(root, 'env'),
    cache: path.join(root, 'cache'),
    engines: path.join(root, 'engines'),
  };
}

/** Approval requests and decisions. */
export function approvalsFolder({ root }: Pick<DataHome, 'root'>): string {
  return path.join(root, 'approvals');
}

/** Packages of skills that runs were accepted with, by hash. */
export function packagesFolder({ root }: Pick<DataHome, 'root'>): string {
  return path.join(root, 'packages');
}

/** Where workspace daemons announce themselves. */
export function runtimesFolder({ root }: Pick<DataHome, 'root'>): string {
  return path.join(root, 'runtimes');
}

/**
 * Entries in folders of small files that are not files or links, such as named pipes. Readers skip them; the server
 * reports them.
 */
export function strayFiles(home: DataHome): string[] {
  const folders = [home.live, path.join(home.root, 'private'), runtimesFolder(home)];
  return folders.flatMap((folder) => {
    try {
      const entries = fs.readdirSync(folder, { withFileTypes: true });
      return entries
        .filter((entry) => !entry.isFile() && !entry.isSymbolicLink())
        .map(({ name }) => path.join(folder, name));
    } catch {
      return []; // Nothing was ever stored there.
    }
  });
}

/** Creates the folders, private to the user, and checks that they are writable. */
export function prepareDataHome(home: DataHome): void {
  const probe = path.join(home.root, `.probe.${process.pid}`);
  try {
    for (const folder of [home.root, home.runs, home.live]) makePrivateFolder(folder);
    fs.writeFileSync(probe, 'x', { mode: 0o600 });
    fs.rmSync(probe);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw new TachoError(
      full ? 'DISK_FULL' : 'DATA_FOLDER_UNWRITABLE',
      `the data folder ${home.root} cannot be written: ${(cause as Error).message}`,
      {
        facts: { path: home.root, errno: code },
        cause,
        fix: 'Make it writable, or choose another folder with --data or TACHO_HOME.',
      },
    );
  }
}
