import { joinPath } from '../listing.ts';
import { nameOfText } from '../name-bytes.ts';
import { isAlwaysCovered, leadsToAlwaysCovered } from './always-covered.ts';
import {
  compileRules,
  EXCLUDE_FILE,
  IGNORE_FILE,
  type IgnoreFile,
  isOutside,
  type RuleMatcher,
} from './ignore-file.ts';

/** What excludes a path: the setting, a file with rules, or tacho itself. */
export type IgnoredBy = 'recording.ignore' | '.gitignore' | '.git/info/exclude' | 'tacho';

export interface IgnoreRules {
  /** As recorded in the snapshot: sorted, without duplicates. */
  readonly list: readonly string[];
  /** The files with rules that apply, by path. */
  readonly files: ReadonlyMap<string, IgnoreFile>;
  /** Adds the rules of a file, before the first query about its folder. */
  add(file: IgnoreFile): void;
  /** What hides a name; null if it is covered. */
  hiddenBy(directory: string, name: string, isFolder: boolean): IgnoredBy | null;
}

export interface IgnoreSources {
  /**
   * Names (`node_modules`) are ignored at any depth; those with a slash (`/build`, `web/dist`) are paths from the root.
   */
  given?: readonly string[];
  /** Paths from the root that belong to tacho. */
  own?: readonly string[];
  files?: Iterable<IgnoreFile>;
}

/** `root` is the real path of the root, as a latin1 string of its bytes. */
export function ignoreRules(root: string, { given = [], own = [], files = [] }: IgnoreSources): IgnoreRules {
  const ours = nameSet(own.map(normalise));
  const listed = nameSet(given.map(normalise));
  const list = [...new Set([...ours.list, ...listed.list])].sort();
  const known = new Map<string, IgnoreFile>();
  const matchers = new Map<string, FolderRules>();
  const chains = new Map<string, readonly FolderRules[]>();
  const rules: IgnoreRules = { list, files: known, add, hiddenBy };
  for (const file of files) add(file);
  return rules;

  function add(file: IgnoreFile): void {
    known.set(file.path, file);
    matchers.set(file.path, folderRules(file, root));
  }

  function hiddenBy(directory: string, name: string, isFolder: boolean): IgnoredBy | null {
    const path = joinPath(directory, name);
    if (ours.has(path, name)) return 'tacho';
    if (isAlwaysCovered(path, isFolder)) return null;
    const by = entersOnlyFor(directory) ?? ruledBy(directory, name, isFolder);
    return by !== null && isFolder && leadsToAlwaysCovered(path) ? null : by;
  }

  /** The rule that ignores a folder which is still entered for paths that are always covered. */
  function entersOnlyFor(directory: string): IgnoredBy | null {
    if (!leadsToAlwaysCovered(directory)) return null;
    const cut = directory.lastIndexOf('/');
    const parent = cut < 0 ? '' : directory.slice(0, cut);
    return entersOnlyFor(parent) ?? ruledBy(parent, directory.slice(cut + 1), true);
  }

  function ruledBy(directory: string, name: string, isFolder: boolean): IgnoredBy | null {
    const path = joinPath(directory, name);
    if (listed.has(path, name)) return 'recording.ignore';
    for (const folder of chainOf(directory)) {
      const ignored = folder.matches(folder.pathOf(path), name, isFolder);
      if (ignored !== null) return ignored ? folder.by : null;
    }
    return null;
  }

  /** The files whose rules apply in a folder, highest precedence first. */
  function chainOf(directory: string): readonly FolderRules[] {
    const found = chains.get(directory);
    if (found) return found;
    const cut = directory.lastIndexOf('/');
    const above = directory === '' ? outerChain() : chainOf(cut < 0 ? '' : directory.slice(0, cut));
    const here = matchers.get(joinPath(directory, IGNORE_FILE));
    const chain = here ? [here, ...above] : above;
    chains.set(directory, chain);
    return chain;
  }

  function outerChain(): FolderRules[] {
    const outer = [...matchers.values()].filter(({ depth }) => depth !== null);
    return outer.sort((a, b) => a.depth! - b.depth!);
  }
}

interface FolderRules {
  by: '.gitignore' | '.git/info/exclude';
  matches: RuleMatcher;
  /** The path relative to the rules of the file. */
  pathOf(path: string): string;
  /** For files that apply from above the root: a lower number takes precedence. Null for a file inside. */
  depth: number | null;
}

function folderRules({ path, rules }: IgnoreFile, root: string): FolderRules {
  // Most files are never asked about again once their folder has not changed.
  let compiled: RuleMatcher | null = null;
  const matches: RuleMatcher = (...query) => {
    compiled ??= compileRules(rules);
    return compiled(...query);
  };
  const ups = path.split('/').filter((part) => part === '..').length;
  const isExclude = path.endsWith(EXCLUDE_FILE);
  if (!isOutside(path)) {
    const length = path.length - IGNORE_FILE.length;
    return { by: IGNORE_FILE, matches, pathOf: (one) => one.slice(length), depth: null };
  }
  const between = ups === 0 ? '' : `${root.split('/').slice(-ups).join('/')}/`;
  return {
    by: isExclude ? EXCLUDE_FILE : IGNORE_FILE,
    matches,
    pathOf: (one) => between + one,
    depth: isExclude ? Number.POSITIVE_INFINITY : ups,
  };
}

function nameSet(rules: readonly string[]) {
  const names = new Set(rules.filter((rule) => rule !== '' && !rule.includes('/')));
  const paths = new Set(rules.filter((rule) => rule.includes('/')).map((rule) => rule.slice(1)));
  const ignoredNames = new Set(Array.from(names, nameOfText));
  const ignoredPaths = new Set(Array.from(paths, nameOfText));
  return {
    list: [...names, ...Array.from(paths, (path) => `/${path}`)],
    has: (path: string, name: string) => ignoredNames.has(name) || ignoredPaths.has(path),
  };
}

/** `./a//b/` becomes `/a/b`; a folder written as `dist/` is still a plain name. */
function normalise(rule: string): string {
  const anchored = rule.startsWith('/') || rule.startsWith('./');
  const parts = rule.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0) return '';
  return anchored || parts.length > 1 ? `/${parts.join('/')}` : parts[0]!;
}
