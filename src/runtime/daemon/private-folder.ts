import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** Creates a folder in `parent` and opens it. Rejects one that other users could have created or can change. */
export function holdFolder(parent: string, shown: string, mode: 0o700 | 0o755): number {
  const place = path.join(parent, path.basename(shown));
  makeFolder(place, mode);
  refuseForeign(place, shown);
  const fd = openFolder(place, shown);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.uid !== process.getuid!()) throw belongsToOther(shown, stat.uid);
    if (mode === 0o700 && (stat.mode & 0o077) !== 0) fs.fchmodSync(fd, mode);
    if (mode !== 0o700 && (stat.mode & 0o022) !== 0) {
      throw new TachoError('AUTH_FAILED', `other users can write in ${shown}`, {
        facts: { path: shown, mode: (stat.mode & 0o7777).toString(8) },
        fix: `If you trust what is in it, close it to others: chmod go-w ${shown}`,
      });
    }
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function openFolder(place: string, shown: string): number {
  try {
    return fs.openSync(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw cause;
    throw notFolder(shown);
  }
}

/** Rejects a file that another user could have created. */
export function refuseForeign(file: string, shown = file): void {
  const { uid } = fs.lstatSync(file);
  if (uid !== process.getuid!()) throw belongsToOther(shown, uid);
}

function belongsToOther(file: string, uid: number): TachoError {
  return new TachoError('AUTH_FAILED', `${file} belongs to another user`, {
    facts: { path: file, uid },
    fix: 'Remove it, or work in a workspace of your own.',
  });
}

function notFolder(file: string): TachoError {
  return new TachoError('AUTH_FAILED', `${file} is not a folder`, {
    facts: { path: file },
    fix: `Remove it: rm ${file}`,
  });
}

/** One level: Node's recursive mkdir never returns where the kernel refuses to create a folder, as in /proc. */
function makeFolder(folder: string, mode: number): void {
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Creates a folder that only its owner can enter; rejects one that other users could have created. */
export function makePrivate(folder: string): void {
  makeFolder(folder, 0o700);
  refuseForeign(folder);
  const stat = fs.lstatSync(folder);
  if (!stat.isDirectory()) throw notFolder(folder);
  if ((stat.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
}
