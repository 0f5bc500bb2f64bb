import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DataHome } from '../data-home.ts';

/** The kernel takes no longer address for a socket. */
const LONGEST = 104;

/** Where the supervisor of a live attempt listens: in the data folder, or in a private short one where that is too long. */
export function controlPath(home: DataHome, handle: string): string {
  const usual = path.join(home.root, 'sock', `${handle}.sock`);
  if (Buffer.byteLength(usual) <= LONGEST) return usual;
  const name = createHash('sha256').update(home.root).digest('hex').slice(0, 12);
  return path.join(os.tmpdir(), `tacho-${process.getuid!()}-${name}`, `${handle}.sock`);
}

/** Makes the folder, or refuses one that somebody else made. */
export function makeControlFolder(socket: string): void {
  const folder = path.dirname(socket);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = fs.lstatSync(folder);
  if (uid !== process.getuid!() || (mode & 0o077) !== 0) throw new Error(`${folder} is not private to this user`);
}
