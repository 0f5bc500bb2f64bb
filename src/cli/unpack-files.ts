import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makePrivateFolder } from '../config/private-folder.ts';
import { TachoError } from '../protocol/index.ts';

export interface FilesToUnpack {
  /** Says what is in them, so that another version never meets the files of this one. */
  hash: string;
  files: readonly { path: string; bytes: number }[];
  read(path: string): Uint8Array;
}

/** Where files may be unpacked, best first: a home may be missing or read-only, as in many containers. */
export function unpackPlaces(env: NodeJS.ProcessEnv): string[] {
  const cache = env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return [path.join(cache, 'tacho'), path.join(os.tmpdir(), `tacho-${process.getuid!()}`)];
}

/** The folder that holds the files, unpacked by the first who needs them. Programs that start at once do not meet. */
export function unpackFiles(wanted: FilesToUnpack, places: readonly string[]): string {
  const refusals: string[] = [];
  for (const place of places) {
    try {
      return unpackInto(place, wanted);
    } catch (error) {
      refusals.push((error as Error).message);
    }
  }
  throw new TachoError('PLATFORM_UNSUPPORTED', `the parts of tacho cannot be unpacked: ${refusals.join('; ')}`, {
    facts: { places },
    fix: 'Set XDG_CACHE_HOME to a folder that only you can write to.',
  });
}

function unpackInto(place: string, wanted: FilesToUnpack): string {
  const folder = path.join(place, wanted.hash);
  makePrivateFolder(place);
  refuseForeign(place);
  if (isWhole(folder, wanted)) return folder;
  const fresh = fs.mkdtempSync(`${folder}.`);
  try {
    for (const { path: name } of wanted.files) writeFile(path.join(fresh, name), wanted.read(name));
    takePlace(fresh, folder, wanted);
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** What is loaded from here runs as us: nobody else may own it or write in it. In /tmp anybody can make a folder first. */
function refuseForeign(place: string): void {
  const stat = fs.lstatSync(place);
  if (stat.isDirectory() && stat.uid === process.getuid!() && (stat.mode & 0o022) === 0) return;
  throw new Error(`${place} belongs to another user, or others may write to it`);
}

/** Folders for temporary files are swept now and then, and what is left may be a part. */
function isWhole(folder: string, { files }: FilesToUnpack): boolean {
  return files.every(({ path: name, bytes }) => {
    const stat = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size === bytes;
  });
}

function writeFile(file: string, bytes: Uint8Array): void {
  makePrivateFolder(path.dirname(file));
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    fs.writeFileSync(fd, bytes);
    fs.fsyncSync(fd); // After a power cut a file of the right length may be empty otherwise.
  } finally {
    fs.closeSync(fd);
  }
}

/** A folder appears whole or not at all; whoever comes second uses what the first one put there. */
function takePlace(fresh: string, folder: string, wanted: FilesToUnpack): void {
  for (let attempt = 1; ; attempt++) {
    try {
      fs.renameSync(fresh, folder);
      return;
    } catch (error) {
      if (isWhole(folder, wanted)) return;
      if (attempt === 3) throw error;
      moveAway(folder, `${fresh}.part${attempt}`);
    }
  }
}

/** Out of the way first: while it is being removed it would be in the way of everybody. */
function moveAway(folder: string, aside: string): void {
  try {
    fs.renameSync(folder, aside);
  } catch {
    return; // Another one was quicker.
  }
  fs.rmSync(aside, { recursive: true, force: true });
}
