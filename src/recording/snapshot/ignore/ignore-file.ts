import { isUtf8 } from 'node:buffer';
import { compileGlob } from './glob.ts';

/** A file with ignore rules, as it was before the start. */
export interface IgnoreFile {
  /** Path from the root of the snapshot, as a latin1 string of the bytes; `../` leads to folders above. */
  readonly path: string;
  /** Its lines without comments, in latin1. */
  readonly rules: readonly string[];
}

export const IGNORE_FILE = '.gitignore';
export const EXCLUDE_FILE = '.git/info/exclude';

/** A larger file is ignored, so everything that it would exclude is covered. */
export const MAX_IGNORE_BYTES = 128 * 1_024;

const MAX_RULE_BYTES = 1_024;

/**
 * The rules of a file. Skips one that is not text, because it could not be recorded, and one that is too long, because
 * it would be slow.
 */
export function rulesOf(content: Buffer): string[] {
  const text = content.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  return text
    .split('\n')
    .map((line) => withoutTrailingSpaces(line.replace(/\r$/, '').replace(/\0.*$/s, '')))
    .filter((rule) => rule !== '' && !rule.startsWith('#'))
    .filter((rule) => rule.length <= MAX_RULE_BYTES && isUtf8(Buffer.from(rule, 'latin1')));
}

/** A trailing space counts only after a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, end);
}

interface CompiledRule {
  negated: boolean;
  foldersOnly: boolean;
  /** Without an inner slash, a rule applies to names at any depth; otherwise to paths relative to its file's folder. */
  byName: boolean;
  matches(text: string): boolean;
}

/** Whether a file is outside of the folders to which it applies. */
export function isOutside(path: string): boolean {
  return path.startsWith('../') || path === EXCLUDE_FILE;
}

export function sameRules(a: IgnoreFile | undefined, b: IgnoreFile | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.rules.join('\n') === b.rules.join('\n'));
}

/** Whether the rules exclude a path below the folder of an ignore file; null if no rule applies. */
export type RuleMatcher = (path: string, name: string, isFolder: boolean) => boolean | null;

export function compileRules(rules: readonly string[]): RuleMatcher {
  const compiled = rules.map(compileRule).filter((rule) => rule !== null);
  compiled.reverse();
  return (path, name, isFolder) => {
    for (const rule of compiled) {
      if (rule.foldersOnly && !isFolder) continue;
      if (rule.matches(rule.byName ? name : path)) return !rule.negated;
    }
    return null;
  };
}

function compileRule(rule: string): CompiledRule | null {
  const negated = rule.startsWith('!');
  let pattern = negated ? rule.slice(1) : rule;
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const byName = !pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  const matches = matcherOf(pattern, byName);
  return matches && { negated, foldersOnly, byName, matches };
}

/** Most rules are a name or `*.ending`, which need no pattern matching. */
function matcherOf(pattern: string, byName: boolean): ((text: string) => boolean) | null {
  if (pattern === '') return null;
  if (!/[*?[\\]/.test(pattern)) return (text) => text === pattern;
  const ending = pattern.slice(1);
  if (byName && pattern.startsWith('*') && !/[*?[\\]/.test(ending)) return (text) => text.endsWith(ending);
  return compileGlob(pattern, { crossesFolders: byName })?.matches ?? null;
}
