import fs from 'node:fs';
import path from 'node:path';
import { type Group, removeGroup } from './group.ts';
import { isLeftOver } from './group-name.ts';
import { findHierarchies } from './hierarchies.ts';

/** Deeper than anyone nests groups. */
const DEEPEST = 12;

/**
 * Ends and removes what a runtime that was killed left behind: groups that bear its name, wherever they are, because the
 * next runtime may have a place elsewhere in the tree. The number of groups.
 */
export async function removeLeftGroups(): Promise<number> {
  const left = findHierarchies().flatMap(({ version, mount }) => findLeft({ version, folder: mount }, 0));
  await Promise.all(left.map(removeGroup));
  return left.length;
}

function findLeft({ version, folder }: Group, depth: number): Group[] {
  if (depth > DEEPEST) return [];
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Gone meanwhile, or not ours to look into.
  }
  return entries.flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const group = { version, folder: path.join(folder, entry.name) };
    return isLeftOver(entry.name) ? [group] : findLeft(group, depth + 1);
  });
}
