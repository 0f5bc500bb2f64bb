import { isBelow } from '../../files/index.ts';
import type { PolicyDecision } from '../../protocol/index.ts';
import { pathsOf } from '../shell/folders.ts';
import type { Folders, Place } from '../shell/report.ts';
import type { ShellWord } from '../shell/word.ts';
import { type GuardOptions, guardOf, isStream } from './guarded-files.ts';
import { type Piece, strictest } from './piece.ts';
import type { LoadedRule } from './rule.ts';

export type Access = 'read' | 'write';

export interface PathContext extends GuardOptions {
  place: Place;
  rules: readonly LoadedRule[];
  defaults: { read: PolicyDecision; write: PolicyDecision };
}

/** What a policy says about an absolute path. */
export function judgePath(access: Access, file: string, context: PathContext): Piece {
  if (isStream(file)) return allowed('a stream of the program');
  const said = strictest(statedAbout(access, file, context));
  if (said) return said;
  if (!isBelow(file, context.place.workspaceRoot)) {
    return { decision: 'ask', reason: `${access}s ${file}, outside of the workspace`, rule: null, from: 'default' };
  }
  const decision = context.defaults[access];
  return { decision, reason: `${access}s ${file} in the workspace`, rule: null, from: 'default' };
}

/** Built-in judgements and rules about a path. */
export function statedAbout(access: Access, file: string, context: PathContext): Piece[] {
  const guard = guardOf(access, file, context);
  const pieces = guard ? [guard] : [];
  for (const { rule, index, paths } of context.rules) {
    if (!paths?.pattern.test(file) || !appliesTo(rule.access, access)) continue;
    const reason = rule.reason ?? `a rule about ${rule.path} says ${rule.decision}`;
    pieces.push({ decision: rule.decision, reason, rule: index, from: 'rule' });
  }
  return pieces;
}

/** The same for a word of a command, which may mean several paths or none that is known. */
export function judgeWord(
  access: Access,
  word: ShellWord,
  { folders, deep = false }: { folders: Folders; deep?: boolean },
  context: PathContext,
): Piece {
  const unknown = (reason: string): Piece => ({ decision: 'ask', reason, rule: null, from: 'fixed' });
  if (word.kind === 'dynamic') return unknown(`${access}s a file that is not known before`);
  // For a command that reads its input.
  if (word.value === '-' && access === 'read') return allowed('reads its input');
  const files = pathsOf(word.value, { folders, home: context.place.home });
  if (!files) return unknown(`${access}s ${word.value}, and its folder is not known`);
  const pieces = files.map((file) => judgePath(access, file, context));
  if (word.kind === 'glob') pieces.push(...files.map((file) => judgePattern(access, file, context)));
  if (deep) pieces.push(...files.map((file) => judgeBelow(access, file, context)));
  return strictest(pieces) ?? allowed('nothing');
}

/** A pattern may match files that a rule is stricter about. Names with a dot first are tacho's and git's. */
function judgePattern(access: Access, file: string, context: PathContext): Piece {
  const at = file.search(/[*?[]/);
  const base = file.slice(0, file.lastIndexOf('/', at)) || '/';
  const parts = file.slice(base.length).split('/');
  if (
    access === 'write' ||
    parts.some((part) => /^\.[^/]*[*?[]/.test(part) || /^\[/.test(part)) ||
    parts.includes('..')
  ) {
    return { decision: 'ask', reason: `${file} is a pattern that may match other files`, rule: null, from: 'fixed' };
  }
  return stricterBelow(access, base, context) ?? allowed('a pattern');
}

function judgeBelow(access: Access, file: string, context: PathContext): Piece {
  return stricterBelow(access, file, context) ?? allowed('a folder');
}

/** Asks if a rule is stricter about something that lies below the folder. */
function stricterBelow(access: Access, folder: string, { rules }: PathContext): Piece | null {
  const found = rules.find(
    ({ rule, paths }) =>
      paths &&
      rule.decision !== 'allow' &&
      appliesTo(rule.access, access) &&
      (isBelow(paths.base, folder) || isBelow(folder, paths.base)),
  );
  if (!found) return null;
  const reason = `${access}s files of ${folder}, and a rule about ${found.rule.path} says ${found.rule.decision}`;
  return { decision: 'ask', reason, rule: found.index, from: 'rule' };
}

/**
 * What is said against the paths that the words of a command name, whatever it does with them. Options may have a path
 * as their value.
 */
export function judgeNamedPaths(words: readonly ShellWord[], folders: Folders, context: PathContext): Piece | null {
  const pieces: Piece[] = [];
  for (const { value, kind } of words) {
    if (kind !== 'literal' && /(?:^|[/=:,@"'])\.tacho(?:[/:,"']|$)/.test(value)) {
      pieces.push({
        decision: 'deny',
        reason: `names ${value}, which belongs to tacho itself`,
        rule: null,
        from: 'fixed',
      });
    }
    for (const name of namesIn(value)) {
      for (const file of pathsOf(name, { folders, home: context.place.home }) ?? []) {
        const said = [...statedAbout('read', file, context), ...statedAbout('write', file, context)];
        // The workspace itself is an operand of many commands.
        const isRoot = file === context.place.workspaceRoot;
        pieces.push(...said.filter(({ decision, from }) => decision !== 'allow' && !(isRoot && from === 'fixed')));
      }
    }
  }
  return strictest(pieces);
}

/** `a`, `--output=a`, `-oa`, `a:b`. */
function namesIn(value: string): string[] {
  const names = [value, ...value.split(/[=:,@]/).slice(1)];
  const attached = /^-[A-Za-z](.+)$/.exec(value)?.[1];
  if (attached !== undefined) names.push(attached);
  if (value.includes(':')) names.push(value.slice(0, value.indexOf(':')));
  return names.filter((name) => name !== '' && name.length < 4096 && !name.includes('\n'));
}

function appliesTo(wanted: 'read' | 'write' | 'any' | undefined, access: Access): boolean {
  return wanted === undefined || wanted === 'any' || wanted === access;
}

function allowed(reason: string): Piece {
  return { decision: 'allow', reason, rule: null, from: 'default' };
}
