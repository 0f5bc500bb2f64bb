import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { TachoError } from '../protocol/index.ts';

const FLAGS = {
  read: constants.O_RDONLY,
  write: constants.O_WRONLY | constants.O_CREAT,
  append: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

/** Where a path leads to, all links followed; refused when that is not in the workspace. */
export async function resolveInside(workspace: string, name: string): Promise<string> {
  const root = await fs.realpath(workspace);
  const real = await fs.realpath(path.resolve(root, name)).catch((cause: NodeJS.ErrnoException) => {
    const code = cause.code === 'ENOENT' || cause.code === 'ENOTDIR' ? 'NOT_FOUND' : 'INVALID_PARAMS';
    throw new TachoError(code, `${name} cannot be found: ${cause.code}`, { facts: { path: name }, cause });
  });
  return refuseOutside(root, real, name);
}

/** Opens a file of the workspace. What was opened is looked at, so that a link put there meanwhile leads nowhere. */
export async function openInside(
  workspace: string,
  name: string,
  how: keyof typeof FLAGS,
  mode = 0o644,
): Promise<fs.FileHandle> {
  const root = await fs.realpath(workspace);
  const wanted = path.resolve(root, name);
  const folder = await resolveInside(workspace, path.dirname(wanted));
  const target = await fs.realpath(wanted).catch(() => path.join(folder, path.basename(wanted)));
  refuseOutside(root, target, name);
  // Without waiting: a named pipe has nobody at its other end.
  const flags = FLAGS[how] | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await fs.open(target, flags, mode).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') throw new TachoError('NOT_FOUND', `${name} is not there`, { facts: { path: name } });
    if (cause.code === 'ELOOP') throw outside(name);
    throw new TachoError('INVALID_PARAMS', `${name} cannot be opened: ${cause.code}`, { facts: { path: name }, cause });
  });
  try {
    refuseOutside(root, await fs.readlink(`/proc/self/fd/${file.fd}`), name);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function refuseOutside(root: string, real: string, name: string): string {
  if (!isBelow(real, root)) throw outside(name);
  // The daemon's own folder holds its secret: who reads files need not be allowed to run programs.
  if (isBelow(real, path.join(root, '.tacho', 'runtime'))) {
    throw new TachoError('FORBIDDEN', `${name} belongs to the runtime itself`, { facts: { path: name } });
  }
  return real;
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder === '/' ? folder : `${folder}/`);
}

function outside(name: string): TachoError {
  return new TachoError('FORBIDDEN', `${name} is not in the workspace`, { facts: { path: name } });
}
