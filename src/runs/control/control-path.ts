import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DataHome } from '../data-home.ts';

/** The kernel takes no longer address for a socket. */
const LONGEST = 104;

/** How a live attempt is reached. */
export interface ControlPlace {
  /** In the data folder, or in a private short one where that is too long. */
  socket: string;
  /** The file, always in the data folder, with what a client has to show. */
  secretFile: string;
}

export function locateControl(home: Pick<DataHome, 'root'>, handle: string): ControlPlace {
  const folder = path.join(home.root, 'sock');
  const usual = path.join(folder, `${handle}.sock`);
  const secretFile = path.join(folder, `${handle}.secret`);
  if (Buffer.byteLength(usual) <= LONGEST) return { socket: usual, secretFile };
  const name = createHash('sha256').update(home.root).digest('hex').slice(0, 12);
  return { socket: path.join(os.tmpdir(), `tacho-${process.getuid!()}-${name}`, `${handle}.sock`), secretFile };
}

/** Makes the folders, or refuses what somebody else made. */
export function makeControlFolders({ socket, secretFile }: ControlPlace): void {
  for (const folder of new Set([path.dirname(socket), path.dirname(secretFile)])) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.lstatSync(folder);
    if (uid !== process.getuid!() || (mode & 0o077) !== 0) throw new Error(`${folder} is not private to this user`);
  }
}

/** What an attempt leaves that was killed, or that is over. */
export function removeControl({ socket, secretFile }: ControlPlace): void {
  for (const file of [socket, secretFile]) fs.rmSync(file, { force: true });
}
