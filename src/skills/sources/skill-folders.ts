import fs, { type Stats } from 'node:fs';
import { errnoOf } from '../../files/index.ts';
import { isUnchanged, type Stamp, stampOf } from './file-stamp.ts';

/** What a folder that is not a skill contains, as long as the folder stays the same. */
export type FolderMemory = Map<string, { stamp: Stamp | null; entries: readonly Entry[] }>;

interface Entry {
  name: string;
  isLink: boolean;
}

/** Skills may be grouped in folders: `root/python/review/SKILL.md`. */
const MAX_DEPTH = 3;
const MAX_ENTRIES = 200_000;

/**
 * The folders below a root that have a SKILL.md, by path below the root, with the stats of that file. A folder inside of
 * a skill is part of the skill. Folders whose names begin with a dot are skipped, and node_modules. A link may stand for a
 * skill, but not for a group of skills: it could lead anywhere.
 */
export function* findSkillFolders(
  root: string,
  memory: { before: FolderMemory; now: FolderMemory },
  folder = '',
  depth = 0,
): Generator<{ folder: string; stats: Stats }> {
  const place = folder === '' ? root : `${root}/${folder}`;
  const stats = statOf(`${place}/SKILL.md`);
  if (stats) {
    yield { folder, stats };
    return;
  }
  if (depth === MAX_DEPTH) return;
  for (const { name, isLink } of entriesOf(place, folder, memory)) {
    const inner = folder === '' ? name : `${folder}/${name}`;
    yield* findSkillFolders(root, memory, inner, isLink ? MAX_DEPTH : depth + 1);
  }
}

function entriesOf(
  place: string,
  folder: string,
  { before, now }: { before: FolderMemory; now: FolderMemory },
): readonly Entry[] {
  const stats = statOf(place);
  if (!stats?.isDirectory()) return [];
  const known = before.get(folder);
  if (known?.stamp && isUnchanged(known.stamp, stats)) {
    now.set(folder, known);
    return known.entries;
  }
  const stamp = stampOf(stats, Date.now());
  const entries = readEntries(place);
  now.set(folder, { stamp, entries });
  return entries;
}

function readEntries(place: string): Entry[] {
  try {
    return fs
      .readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }))
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .slice(0, MAX_ENTRIES)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return []; // Removed meanwhile, or not ours to read.
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // Not a folder, a circle of links, or not ours to read.
  }
}
