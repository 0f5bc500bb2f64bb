import fs, { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { descriptorPath, openBeneath } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const FLAGS = { read: O_RDONLY, write: O_WRONLY, append: O_WRONLY | O_APPEND };
/** Between finding nothing and making it, another program may make it. */
const MAX_TRIES = 10;

/** Something in the workspace, held by a descriptor: whatever is put in its place meanwhile, its path leads to it. */
export interface Place {
  path: string;
  stat: fs.Stats;
}

/** Finds what a name stands for, all links followed, for the time of `work`; refused when it is not in the workspace. */
export async function withPlace<T>(workspace: string, name: string, work: (place: Place) => Promise<T>): Promise<T> {
  const root = fs.openSync(workspace, O_RDONLY | constants.O_DIRECTORY);
  let fd: number | null = null;
  try {
    const folder = fs.readlinkSync(descriptorPath(root));
    fd = await find(root, folder, name);
    // The daemon's own folder holds its secret: who reads files need not be allowed to run programs.
    if (isBelow(fs.readlinkSync(descriptorPath(fd)), path.join(folder, '.tacho', 'runtime'))) {
      throw new TachoError('FORBIDDEN', `${name} belongs to the runtime itself`, { facts: { path: name } });
    }
    return await work({ path: descriptorPath(fd), stat: fs.fstatSync(fd) });
  } finally {
    if (fd !== null) fs.closeSync(fd);
    fs.closeSync(root);
  }
}

/** The same for the folder that a name is in, which need not stand for anything; `place` is its path there. */
export function withParent<T>(workspace: string, name: string, work: (place: string) => Promise<T>): Promise<T> {
  const wanted = path.resolve(workspace, name);
  return withPlace(workspace, path.dirname(wanted), (folder) => work(`${folder.path}/${path.basename(wanted)}`));
}

/** Opens a regular file of the workspace. One that is not there is made where it was found missing, and nowhere else. */
export async function openInside(
  workspace: string,
  name: string,
  how: keyof typeof FLAGS,
  mode = 0o644,
): Promise<FileHandle> {
  // Without waiting: it may have become a pipe.
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
        // A link that leads nowhere stays one, so this does not go on for ever.
        if (cause.code === 'EEXIST' && tries < MAX_TRIES) return null;
        return refuse(name)(cause);
      }),
    );
    if (made) return made;
  }
}

async function find(root: number, folder: string, name: string): Promise<number> {
  const wanted = path.resolve(folder, name);
  try {
    return openBeneath(root, path.relative(folder, wanted));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EXDEV') return refuse(name)(cause as NodeJS.ErrnoException);
  }
  // A link with an absolute target, or another name of the workspace, may lead to a place in it all the same.
  const real = await realpath(wanted).catch(() => null);
  if (real === null || !isBelow(real, folder)) throw outside(name);
  try {
    return openBeneath(root, path.relative(folder, real));
  } catch (cause) {
    return refuse(name)(cause as NodeJS.ErrnoException);
  }
}

/** What to say when the system refuses a name. */
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

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder === '/' ? folder : `${folder}/`);
}

function outside(name: string): TachoError {
  return new TachoError('FORBIDDEN', `${name} is not in the workspace`, { facts: { path: name } });
}
