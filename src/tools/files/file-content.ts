import fs from 'node:fs';
import { descriptorPath, temporaryName } from '../../files/index.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { Found } from './place.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

export interface FileContent {
  /** Below the workspace, without links. */
  path: string;
  bytes: Buffer;
  /** Of the whole file. */
  size: number;
  mode: number;
}

/** Reads a part of what was found, if it is a regular file. */
export function readFound(
  name: string,
  { fd, relative }: Found,
  { maxBytes, offset }: { maxBytes: number; offset: number },
): FileContent {
  const stat = fs.fstatSync(fd);
  if (stat.isDirectory()) throw new ToolFailure('conflict', `${JSON.stringify(name)} is a folder`);
  // Before it is opened: opening a pipe waits, and opening a device does something.
  if (!stat.isFile()) throw new ToolFailure('not_permitted', `${JSON.stringify(name)} is not a regular file`);
  const file = fs.openSync(descriptorPath(fd), O_RDONLY | O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(maxBytes, stat.size - offset)));
    let length = 0;
    while (length < bytes.length) {
      const count = fs.readSync(file, bytes, length, bytes.length - length, offset + length);
      if (count === 0) break;
      length += count;
    }
    return { path: relative, bytes: bytes.subarray(0, length), size: stat.size, mode: stat.mode & 0o7777 };
  } finally {
    fs.closeSync(file);
  }
}

/** Under a temporary name first, so that readers get the old content or the new one, and a link is never written through. */
export function replaceFile(folder: number, base: string, bytes: Uint8Array, mode: number | undefined): void {
  const temporary = descriptorPath(folder, temporaryName('.write'));
  const file = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      fs.writeFileSync(file, bytes);
      if (mode !== undefined) fs.fchmodSync(file, mode);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(temporary, descriptorPath(folder, base));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}
