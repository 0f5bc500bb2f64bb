import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, isNamed, lockDescriptor } from '../files/index.ts';

/** Files that must not be created in a writable folder, and the placeholder for each; null is a folder. */
const PLACEHOLDERS: Record<string, string | null> = {
  '.git/hooks': null,
  // Pointing to itself has the same effect as no file.
  '.git/commondir': '.\n',
  'config/tacho.yaml': '',
  '.env': '',
  '.npmrc': '',
  '.yarnrc.yml': '',
};

/** Further ones, of profiles. */
const OF_PROFILES: Record<string, string | null> = {
  '.tacho': null,
  config: null,
  '.git/info': null,
  '.git/info/exclude': '',
};

const ALL = { ...PLACEHOLDERS, ...OF_PROFILES };

/** What git ignores in this clone of a repository. */
export const EXCLUDE_PLACES = ['.git/info', '.git/info/exclude'];
/** Those of a repository, whose folder contains `.git`. */
export const GIT_PLACES = ['.git/hooks', '.git/commondir'];
/** Those of tacho itself: where it keeps runs, and its configuration. */
export const TACHO_PLACES = ['.tacho', 'config', 'config/tacho.yaml'];
/** Settings of package managers, and variables of tacho. */
export const SETTINGS_PLACES = ['.env', '.npmrc', '.yarnrc.yml'];

/** Folders that cannot be removed while another placeholder is in them; others lock `config` when they write to it. */
const HELD_BY_CONTENT = ['config', '.git/info'];

/** The modification time of a placeholder: whoever holds it last removes it, and nobody a file of the user. */
const MARK = new Date('2001-09-09T01:46:40Z');
const MARK_NS = BigInt(MARK.getTime()) * 1_000_000n;
/** A process that removes a placeholder locks it for an instant. */
const LOCK_TRIES = 1000;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

interface Held {
  /** How many sandboxes of this process need it. */
  users: number;
  /** Locks it against removal by other processes. */
  fd: number | null;
}

const held = new Map<string, Held>();

/**
 * A mount can protect existing files, but cannot prevent the creation of missing ones. Placeholders are therefore
 * created before the program starts, and removed when nothing of it is left. Returns their paths.
 *
 * Several processes have sandboxes in one workspace, and removing a file also removes what is mounted on it elsewhere.
 * So every process locks the placeholders that it relies on, also those of another one, and the last one removes them.
 */
export function holdPlaces(root: string, names: readonly string[] = Object.keys(PLACEHOLDERS)): string[] {
  return names.map((name) => path.join(root, name)).filter(hold);
}

/** Removes placeholders, unless another sandbox needs them or they have been used meanwhile. */
export function releasePlaces(places: readonly string[]): void {
  // Files before their folders.
  for (const place of places.toReversed()) {
    const holder = held.get(place) ?? { users: 1, fd: openPlace(place) };
    holder.users--;
    if (holder.users > 0) continue;
    held.delete(place);
    try {
      if (!needsLock(place) || isLast(place, holder.fd)) remove(place);
    } finally {
      if (holder.fd !== null) fs.closeSync(holder.fd);
    }
  }
}

/** The placeholders in a folder, whichever process made them. */
export function findPlaces(root: string): string[] {
  return Object.keys(ALL)
    .map((name) => path.join(root, name))
    .filter((place) => isMarked(place) && isPlaceholder(place));
}

/** Whether an entry of a folder is one. `relative`: its path below that folder. */
export function isPlaceholderEntry(relative: string, { mtimeNs, size }: fs.BigIntStats): boolean {
  if (mtimeNs !== MARK_NS) return false;
  const content = contentOf(`/${relative}`);
  return content === null || (content !== undefined && size === BigInt(content.length));
}

function hold(place: string): boolean {
  const known = held.get(place);
  if (known && (known.fd === null || isNamed(place, known.fd))) {
    known.users++;
    return true;
  }
  for (let tries = 0; tries < LOCK_TRIES; tries++) {
    // A file of the user needs none: a mount protects it.
    if (!make(place) || !isPlaceholder(place)) return false;
    const fd = lockPlace(place);
    if (fd !== 'busy') {
      if (known && known.fd !== null) fs.closeSync(known.fd);
      held.set(place, { users: (known?.users ?? 0) + 1, fd });
      return true;
    }
    sleepSync(1);
  }
  throw new Error(`${place} is locked by another process, so it cannot be protected`);
}

/** False if its folder does not exist, or cannot be written; true also if something is there. */
function make(place: string): boolean {
  const content = contentOf(place);
  try {
    keepMark(path.dirname(place), () => {
      if (content === null) fs.mkdirSync(place);
      else fs.writeFileSync(place, content!, { flag: 'wx' });
      fs.utimesSync(place, MARK, MARK);
    });
    return true;
  } catch (error) {
    return errnoOf(error) === 'EEXIST';
  }
}

function remove(place: string): void {
  if (!isMarked(place) || !isPlaceholder(place)) return;
  try {
    keepMark(path.dirname(place), () => (contentOf(place) === null ? fs.rmdirSync(place) : fs.rmSync(place)));
  } catch {
    // Used meanwhile, or gone.
  }
}

/** Changes an entry of a folder that may be a placeholder itself. */
function keepMark(folder: string, change: () => void): void {
  const marked = isMarked(folder);
  change();
  if (marked) fs.utimesSync(folder, MARK, MARK);
}

/** `busy`: another process is about to remove it. Null if it needs no lock. */
function lockPlace(place: string): number | 'busy' | null {
  if (!needsLock(place)) return null;
  const fd = openPlace(place);
  if (fd === null) return 'busy';
  if (tryLock(fd, 'shared') && isNamed(place, fd)) return fd;
  fs.closeSync(fd);
  return 'busy';
}

function isLast(place: string, fd: number | null): boolean {
  return fd !== null && isNamed(place, fd) && tryLock(fd, 'exclusive');
}

/** On a file system without locks, only the sandboxes of this process count. */
function tryLock(fd: number, mode: 'exclusive' | 'shared'): boolean {
  try {
    return lockDescriptor(fd, mode);
  } catch {
    return true;
  }
}

function needsLock(place: string): boolean {
  return !HELD_BY_CONTENT.some((name) => place.endsWith(`/${name}`));
}

function openPlace(place: string): number | null {
  if (!needsLock(place)) return null;
  try {
    return fs.openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return null; // Gone, or not a file.
  }
}

function isMarked(place: string): boolean {
  return fs.lstatSync(place, { throwIfNoEntry: false })?.mtimeMs === MARK.getTime();
}

/** It is as it was made. Before it has its mark, a file of the user can look the same. */
function isPlaceholder(place: string): boolean {
  const content = contentOf(place);
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!stat || content === undefined) return false;
  if (content === null) return stat.isDirectory() && (isMarked(place) || fs.readdirSync(place).length === 0);
  return stat.isFile() && stat.size === content.length && fs.readFileSync(place, 'utf8') === content;
}

/** Null for a folder, undefined for a path that is not a placeholder. */
function contentOf(place: string): string | null | undefined {
  return Object.entries(ALL).find(([name]) => place.endsWith(`/${name}`))?.[1];
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
