import fs from 'node:fs';
import path from 'node:path';

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

/** What git ignores in this clone of a repository. */
export const EXCLUDE_PLACES = ['.git/info', '.git/info/exclude'];
/** Those of a repository, whose folder contains `.git`. */
export const GIT_PLACES = ['.git/hooks', '.git/commondir'];
/** Those of tacho itself: where it keeps runs, and its configuration. */
export const TACHO_PLACES = ['.tacho', 'config', 'config/tacho.yaml'];
/** Settings of package managers, and variables of tacho. */
export const SETTINGS_PLACES = ['.env', '.npmrc', '.yarnrc.yml'];

/** How many sandboxes use each placeholder that we created. */
const held = new Map<string, number>();

/**
 * A mount can protect existing files, but cannot prevent the creation of missing ones. Placeholders are therefore
 * created before the program starts, and removed when nothing of it is left. Returns their paths.
 */
export function holdPlaces(root: string, names: readonly string[] = Object.keys(PLACEHOLDERS)): string[] {
  return names.flatMap((name) => {
    const place = path.join(root, name);
    return hold(place, contentOf(place)!) ? [place] : [];
  });
}

/** Removes placeholders, unless another sandbox needs them or they have been used meanwhile. */
export function releasePlaces(places: readonly string[]): void {
  // Files before their folders.
  for (const place of places.toReversed()) {
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
    return false; // It exists, its folder does not, or it cannot be created.
  }
}

function remove(place: string): void {
  const content = contentOf(place);
  try {
    if (content === null) fs.rmdirSync(place);
    else if (isUntouched(place, content)) fs.rmSync(place);
  } catch {
    // Used meanwhile, or gone.
  }
}

/** Null for a folder, undefined for a path that is not a placeholder. */
function contentOf(place: string): string | null | undefined {
  return Object.entries({ ...PLACEHOLDERS, ...OF_PROFILES }).find(([name]) => place.endsWith(`/${name}`))?.[1];
}

function isUntouched(place: string, content: string | undefined): boolean {
  const stat = fs.lstatSync(place);
  return (
    content !== undefined && stat.isFile() && stat.size === content.length && fs.readFileSync(place, 'utf8') === content
  );
}
