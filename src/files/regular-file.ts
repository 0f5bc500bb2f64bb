import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AUDIT_FOLDER } from '../protocol/file-names.ts';
import { errnoOf } from './errno.ts';
import { descriptorPath } from './open-beneath.ts';

/** No file that is read as a whole is larger; a record with a long prompt stays far below. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Bytes are private to the user: they hold whatever a program printed. */
const PRIVATE = 0o600;
const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

/** What a file is opened for: `create` refuses one that is there; `append` and `update` make one that is missing. */
export type Purpose = 'read' | 'create' | 'append' | 'update';

const FLAGS: Record<Purpose, number> = {
  read: O_RDONLY,
  create: O_RDWR | O_CREAT | O_EXCL,
  append: O_RDWR | O_CREAT | O_APPEND,
  update: O_RDWR | O_CREAT,
};

/**
 * Opens a file that another program may have put in place: the one way to open a file of a record. Never waits for a
 * named pipe or a device, follows no link, and refuses everything that is not a regular file.
 */
export function openRegularFile(file: string | Buffer, purpose: Purpose = 'read'): number {
  const flags = FLAGS[purpose] | O_NONBLOCK | O_NOFOLLOW;
  const folder = typeof file === 'string' ? recordFolderOf(file) : null;
  let fd: number;
  try {
    fd = fs.openSync(folder?.place ?? file, flags, PRIVATE);
  } catch (error) {
    throw folder ? named(error, file as string) : error;
  } finally {
    folder?.close();
  }
  try {
    if (fs.fstatSync(fd).isFile()) return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  throw notRegular(file);
}

/** The same for reading without blocking the process. */
export async function openRegularHandle(file: string): Promise<FileHandle> {
  const folder = recordFolderOf(file);
  let handle: FileHandle;
  try {
    handle = await open(folder?.place ?? file, FLAGS.read | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    throw named(error, file);
  } finally {
    folder?.close();
  }
  const isFile = await handle.stat().then(
    (stat) => stat.isFile(),
    () => false,
  );
  if (isFile) return handle;
  await handle.close();
  throw notRegular(file);
}

/** The same as a stream; `end` is the last byte. It is open when this returns, and closes itself. */
export function streamRegularFile(file: string, range: { start?: number; end?: number } = {}): Readable {
  return fs.createReadStream('', { fd: openRegularFile(file), start: 0, ...range });
}

/** The content of such a file. Throws when it is larger than `maxBytes`. */
export function readRegularBytes(file: string | Buffer, { maxBytes = MAX_BYTES }: { maxBytes?: number } = {}): Buffer {
  const fd = openRegularFile(file);
  try {
    const { size } = fs.fstatSync(fd);
    if (size > maxBytes) throw failure('EFBIG', file, `has ${size} bytes, more than ${maxBytes}`);
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export function readRegularFile(file: string, options: { maxBytes?: number } = {}): string {
  return readRegularBytes(file, options).toString('utf8');
}

/** Appends all of the content or nothing, creating the file if needed: a full disk leaves no partial line. */
export function appendRegularFile(file: string, content: string): void {
  const fd = openRegularFile(file, 'append');
  try {
    const { size } = fs.fstatSync(fd);
    try {
      fs.appendFileSync(fd, content);
    } catch (error) {
      fs.ftruncateSync(fd, size);
      throw error;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Whether the name exists and is a regular file. */
export function isRegularFile(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return false; // Something else is where its folder should be.
    throw error;
  }
}

/**
 * Inside a record a folder is a folder: a link in its place could lead anywhere. Each is opened by its name in the one
 * before it and stays open until the file is, so no link can be put there meanwhile. Null outside of records.
 */
function recordFolderOf(file: string): { place: string; close(): void } | null {
  const inside = file.lastIndexOf(`/${AUDIT_FOLDER}/`);
  if (inside < 0) return null;
  let end = inside + AUDIT_FOLDER.length + 1;
  let fd = openFolder(file.slice(0, end), file.slice(0, end));
  for (let next = file.indexOf('/', end + 1); next > 0; next = file.indexOf('/', end + 1)) {
    const outer = fd;
    try {
      fd = openFolder(descriptorPath(outer, file.slice(end + 1, next)), file.slice(0, next));
    } finally {
      fs.closeSync(outer);
    }
    end = next;
  }
  return { place: descriptorPath(fd, file.slice(end + 1)), close: () => fs.closeSync(fd) };
}

function openFolder(place: string, name: string): number {
  try {
    return fs.openSync(place, O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === 'ELOOP' || errno === 'ENOTDIR' ? failure('ENOTDIR', name, 'is not a folder') : named(error, name);
  }
}

/** The error of an opening through a descriptor, with the name that people know. */
function named(error: unknown, file: string): unknown {
  const { path, message } = error as NodeJS.ErrnoException;
  if (path === undefined || path === file) return error;
  return Object.assign(error as Error, { path: file, message: message.replace(path, () => file) });
}

function notRegular(file: string | Buffer): Error {
  return failure('EINVAL', file, 'is not a regular file');
}

function failure(code: string, path: string | Buffer, what: string): Error {
  return Object.assign(new Error(`${path} ${what}`), { code, path });
}
