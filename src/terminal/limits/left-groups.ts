import fs from 'node:fs';
import path from 'node:path';
import { type Group, removeGroup } from './group.ts';
import { isLeftOver } from './group-name.ts';
import { findHierarchies } from './hierarchies.ts';

/** Deeper than groups are ever nested. */
const MAX_DEPTH = 12;

/**
 * Ends and removes groups that a killed runtime left behind, anywhere in the hierarchy, because the next runtime may be
 * placed elsewhere. Returns their number.
 */
export async function removeLeftGroups(): Promise<number> {
  const left = findHierarchies().flatMap(({ version, mount }) => findLeft({ version, folder: mount }, 0));
  await Promise.all(left.map(removeGroup));
  return left.length;
}

function findLeft({ version, folder }: Group, depth: number): Group[] {
  if (depth > MAX_DEPTH) return [];
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Gone meanwhile, or not accessible.
  }
  return entries.flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const group = { version, folder: path.join(folder, entry.name) };
    return isLeftOver(entry.name) ? [group] : findLeft(group, depth + 1);
  });
}
