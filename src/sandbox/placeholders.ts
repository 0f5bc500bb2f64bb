import fs from 'node:fs';
import path from 'node:path';

/** What a folder must not get while it can be written, and what stands there meanwhile; null is a folder. */
const PLACEHOLDERS: Record<string, string | null> = {
  '.git/hooks': null,
  // Where it points to itself, git goes on as without it.
  '.git/commondir': '.\n',
  'config/tacho.yaml': '',
  '.env': '',
  '.npmrc': '',
  '.yarnrc.yml': '',
};

/** How many sandboxes need each placeholder that we made. */
const held = new Map<string, number>();

/**
 * A mount can keep a program from changing what is there, but not from making what is missing. So that is made before it
 * starts, and given back when nothing of the program is left. Returns what was made.
 */
export function holdPlaces(root: string): string[] {
  return Object.entries(PLACEHOLDERS).flatMap(([name, content]) => {
    const place = path.join(root, name);
    return hold(place, content) ? [place] : [];
  });
}

/** Removes placeholders, unless another sandbox needs them or somebody has used them meanwhile. */
export function releasePlaces(places: readonly string[]): void {
  for (const place of places) {
    const users = (held.get(place) ?? 1) - 1;
    held.set(place, users);
    if (users > 0) continue;
    held.delete(place);
    remove(place);
  }
}

function hold(place: string, content: string | null): boolean {
  const users = held.get(place) ?? 0;
  try {
    if (users === 0 && content === null) fs.mkdirSync(place);
    else if (users === 0) fs.writeFileSync(place, content!, { flag: 'wx' });
    held.set(place, users + 1);
    return true;
  } catch {
    return false; // It is there, or its folder is not, or nobody can make it.
  }
}

function remove(place: string): void {
  const content = Object.entries(PLACEHOLDERS).find(([name]) => place.endsWith(`/${name}`))?.[1];
  try {
    if (content === null) fs.rmdirSync(place);
    else if (isUntouched(place, content)) fs.rmSync(place);
  } catch {
    // Somebody uses it by now, or it is gone.
  }
}

function isUntouched(place: string, content: string | undefined): boolean {
  const stat = fs.lstatSync(place);
  return (
    content !== undefined && stat.isFile() && stat.size === content.length && fs.readFileSync(place, 'utf8') === content
  );
}
