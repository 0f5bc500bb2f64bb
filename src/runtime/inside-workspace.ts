import fs, { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { descriptorPath, findInside, isBelow } from '../files/index.ts';
import { RUNTIME_FOLDER, TachoError } from '../protocol/index.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const FLAGS = { read: O_RDONLY, write: O_WRONLY, append: O_WRONLY | O_APPEND };
/** Another program may create the file between the check and the creation. */
const MAX_TRIES = 10;

/** A file or folder of the workspace, held open by a descriptor: its path stays valid even if it is replaced. */
export interface Place {
  path: string;
  stat: fs.Stats;
}

/** Resolves a name with all links for the duration of `work`; rejects it if it is not in the workspace. */
export async function withPlace<T>(workspace: string, name: string, work: (place: Place) => Promise<T>): Promise<T> {
  const root = fs.openSync(workspace, O_RDONLY | constants.O_DIRECTORY);
  let fd: number | null = null;
  try {
    const folder = fs.readlinkSync(descriptorPath(root));
    fd = await findInside(root, name).catch(refuse(name));
    // The daemon's own folder holds its secret, and a client that may read files need not be allowed to run programs.
    if (isBelow(fs.readlinkSync(descriptorPath(fd)), path.join(folder, RUNTIME_FOLDER))) {
      throw new TachoError('FORBIDDEN', `${name} belongs to the runtime itself`, { facts: { path: name } });
    }
    return await work({ path: descriptorPath(fd), stat: fs.fstatSync(fd) });
  } finally {
    if (fd !== null) fs.closeSync(fd);
    fs.closeSync(root);
  }
}

/** The same for the parent folder of a name, which need not exist; `place` is its path there. */
export function withParent<T>(workspace: string, name: string, work: (place: string) => Promise<T>): Promise<T> {
  const wanted = path.resolve(workspace, name);
  return withPlace(workspace, path.dirname(wanted), (folder) => work(`${folder.path}/${path.basename(wanted)}`));
}

/** Opens a regular file of the workspace. A missing file is created only where it was found missing. */
export async function openInside(
  workspace: string,
  name: string,
  how: keyof typeof FLAGS,
  mode = 0o644,
): Promise<FileHandle> {
  // Non-blocking, because it may have been replaced by a pipe.
  const flags = FLAGS[how] | O_NONBLOCK;
  for (let tries = 0; ; tries++) {
    try {
      return await withPlace(workspace, name, ({ path: file, stat }) => {
        if (!stat.isFile()) throw new TachoError('INVALID_PARAMS', `${name} is not a file`, { facts: { path: name } });
        return open(file, flags).catch(refuse(name));
      });
    } catch (error) {
      if (how === 'read' || !(error instanceof TachoError) || error.code !== 'NOT_FOUND') throw error;
    }
    const made = await withParent(workspace, name, (file) =>
      open(file, flags | O_CREAT | O_EXCL | O_NOFOLLOW, mode).catch((cause: NodeJS.ErrnoException) => {
        // A dangling link stays one, so the retries are limited.
        if (cause.code === 'EEXIST' && tries < MAX_TRIES) return null;
        return refuse(name)(cause);
      }),
    );
    if (made) return made;
  }
}

/** Converts a system error about a name. */
export function refuse(name: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    const facts = { path: name };
    if (cause.code === 'EXDEV') throw outside(name);
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') {
      throw new TachoError('NOT_FOUND', `${name} is not there`, { facts, cause });
    }
    throw new TachoError('INVALID_PARAMS', `${name} cannot be opened: ${cause.code}`, { facts, cause });
  };
}

function outside(name: string): TachoError {
  return new TachoError('FORBIDDEN', `${name} is not in the workspace`, { facts: { path: name } });
}
