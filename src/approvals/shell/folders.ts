import path from 'node:path';
import type { Folders } from './report.ts';

/** More than these are as good as unknown. */
const MAX_FOLDERS = 8;

export function eitherFolder(one: Folders, other: Folders): Folders {
  if (one === other) return one;
  if (one === null || other === null) return null;
  const all = new Set([...one, ...other]);
  return all.size > MAX_FOLDERS ? null : [...all];
}

/** Every path that a literal word can mean; null if it cannot be known. */
export function pathsOf(value: string, { folders, home }: { folders: Folders; home: string }): string[] | null {
  if (value.startsWith('~')) {
    if (value === '~' || value.startsWith('~/')) return [path.join(home, value.slice(1))];
    return null;
  }
  if (value.startsWith('/')) return [path.normalize(value)];
  return folders?.map((folder) => path.resolve(folder, value)) ?? null;
}
