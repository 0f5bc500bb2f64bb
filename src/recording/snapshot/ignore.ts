import { AUDIT_FOLDER, RUN_RECORD_FILE } from '../../protocol/index.ts';
import { joinPath } from './listing.ts';
import { nameOfText } from './name-bytes.ts';

/** Our own files at the root of a run; never part of a snapshot. */
const ALWAYS = [`/${AUDIT_FOLDER}`, `/${RUN_RECORD_FILE}`, '/.tacho'];

export interface IgnoreRules {
  /** As recorded in the snapshot: sorted, without repetition. */
  readonly list: readonly string[];
  matches(directory: string, name: string): boolean;
}

/** A plain name (`node_modules`) is ignored wherever it stands; one with a slash (`/build`, `web/dist`) is a path from the root. */
export function ignoreRules(given: readonly string[]): IgnoreRules {
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const rule of [...ALWAYS, ...given.map(normalise)]) {
    if (rule.includes('/')) paths.add(rule.replace(/^\//, ''));
    else if (rule !== '') names.add(rule);
  }
  const list = [...names, ...Array.from(paths, (path) => `/${path}`)].sort();
  const ignoredNames = new Set(Array.from(names, nameOfText));
  const ignoredPaths = new Set(Array.from(paths, nameOfText));
  return {
    list,
    matches: (directory, name) => ignoredNames.has(name) || ignoredPaths.has(joinPath(directory, name)),
  };
}

/** `./a//b/` is `/a/b`; a folder written as `dist/` is still a plain name. */
function normalise(rule: string): string {
  const anchored = rule.startsWith('/') || rule.startsWith('./');
  const parts = rule.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0) return '';
  return anchored || parts.length > 1 ? `/${parts.join('/')}` : parts[0]!;
}
