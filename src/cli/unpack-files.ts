import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makePrivateFolder } from '../config/private-folder.ts';
import { TachoError } from '../protocol/index.ts';

export interface FilesToUnpack {
  /** Hash of the contents, so that versions never share files. */
  hash: string;
  files: readonly { path: string; bytes: number }[];
  read(path: string): Uint8Array;
}

/** Candidates for unpacking, best first: a home may be missing or read-only, as in many containers. */
export function unpackPlaces(env: NodeJS.ProcessEnv): string[] {
  const cache = env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return [path.join(cache, 'tacho'), path.join(os.tmpdir(), `tacho-${process.getuid!()}`)];
}

/** The folder with the files, unpacked on first use. Processes that start at the same time do not conflict. */
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

/**
 * Code from here runs as this user: no other user may own or write to it. In /tmp any user can create the folder first.
 */
function refuseForeign(place: string): void {
  const stat = fs.lstatSync(place);
  if (stat.isDirectory() && stat.uid === process.getuid!() && (stat.mode & 0o022) === 0) return;
  throw new Error(`${place} belongs to another user, or others may write to it`);
}

/** Temporary folders are cleaned up now and then, so files may be missing. */
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
    fs.fsyncSync(fd); // Otherwise a file of the right length may be empty after a power failure.
  } finally {
    fs.closeSync(fd);
  }
}

/** The folder appears completely or not at all; a later process uses the one that is already there. */
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

/** Renamed first, because other processes would fail while it is being removed. */
function moveAway(folder: string, aside: string): void {
  try {
    fs.renameSync(folder, aside);
  } catch {
    return; // Another process was faster.
  }
  fs.rmSync(aside, { recursive: true, force: true });
}
