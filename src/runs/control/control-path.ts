import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DataHome } from '../data-home.ts';

/** The kernel's limit for the address of a socket. */
const MAX_SOCKET_PATH = 104;

/** The addresses of a live attempt. */
export interface ControlPlace {
  /** In the data folder, or in a short private folder if that path is too long. */
  socket: string;
  /** The file with the clients' secret; always in the data folder. */
  secretFile: string;
}

export function locateControl(home: Pick<DataHome, 'root'>, handle: string): ControlPlace {
  const folder = path.join(home.root, 'sock');
  const usual = path.join(folder, `${handle}.sock`);
  const secretFile = path.join(folder, `${handle}.secret`);
  if (Buffer.byteLength(usual) <= MAX_SOCKET_PATH) return { socket: usual, secretFile };
  const name = createHash('sha256').update(home.root).digest('hex').slice(0, 12);
  return { socket: path.join(os.tmpdir(), `tacho-${process.getuid!()}-${name}`, `${handle}.sock`), secretFile };
}

/** Creates the folders; rejects folders of another user. */
export function makeControlFolders({ socket, secretFile }: ControlPlace): void {
  for (const folder of new Set([path.dirname(socket), path.dirname(secretFile)])) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.lstatSync(folder);
    if (uid !== process.getuid!() || (mode & 0o077) !== 0) throw new Error(`${folder} is not private to this user`);
  }
}

/** Removes the files of an attempt that was killed or has ended. */
export function removeControl({ socket, secretFile }: ControlPlace): void {
  for (const file of [socket, secretFile]) fs.rmSync(file, { force: true });
}
