import { assignmentConcern } from './assignments.ts';
import { pathsOf } from './folders.ts';
import { type LeadingOptions, type ReadOptions, readLeadingOptions } from './leading-options.ts';
import { ask, type Inspection } from './report.ts';
import { literalWord, type ShellWord, UNKNOWN_WORD } from './word.ts';

/**
 * The command that a wrapper starts. `words`: a command; `line`: text for a shell. `plain`: it starts none, so it is a
 * command itself. `unclear`: it cannot be understood.
 */
export type Unwrapped =
  | { kind: 'words'; words: readonly ShellWord[]; folder?: string }
  | { kind: 'line'; line: string }
  | { kind: 'plain' }
  | { kind: 'unclear'; reason: string };

type Unwrap = (words: readonly ShellWord[], inspection: Inspection) => Unwrapped;

const PLAIN: Unwrapped = { kind: 'plain' };
const UNCLEAR: Unwrapped = { kind: 'unclear', reason: 'has options that are not understood' };

/** Programs that do nothing but start another one. */
export const WRAPPERS: ReadonlyMap<string, Unwrap> = new Map<string, Unwrap>([
  ['command', (words) => (/^-[vV]/.test(words[1]?.value ?? '') ? PLAIN : after(words, { flags: 'p' }))],
  ['builtin', (words) => after(words, {})],
  // Not -a: some programs do what the name they were started by says.
  ['exec', (words) => after(words, { flags: 'cl' })],
  ['nohup', unwrapNohup],
  ['nice', (words) => after(words, { flags: '0123456789', valued: 'n', longValued: ['adjustment'] })],
  ['setsid', (words) => after(words, { flags: 'cfw', long: ['ctty', 'fork', 'wait'] })],
  ['stdbuf', (words) => after(words, { valued: 'ioe', longValued: ['input', 'output', 'error'] })],
  [
    'time',
    (words) => after(words, { flags: 'pv', valued: 'f', long: ['portability', 'verbose'], longValued: ['format'] }),
  ],
  ['timeout', unwrapTimeout],
  ['env', unwrapEnv],
  ['xargs', unwrapXargs],
  ['eval', (words) => joined(words, words[1]?.value === '--' ? 2 : 1)],
  ['watch', unwrapWatch],
]);

function after(words: readonly ShellWord[], spec: LeadingOptions, operands = 0): Unwrapped {
  const read = readLeadingOptions(words, spec);
  if (!read) return UNCLEAR;
  const inner = words.slice(read.next + operands);
  return inner.length > 0 ? { kind: 'words', words: inner } : PLAIN;
}

/** Text of several words for a shell. */
function joined(words: readonly ShellWord[], start: number): Unwrapped {
  const rest = words.slice(start);
  if (rest.length === 0) return PLAIN;
  const line = rest.map(({ value }) => value).join(' ');
  if (rest.every(({ kind }) => kind === 'literal')) return { kind: 'line', line };
  return { kind: 'unclear', reason: 'runs text that is not known before' };
}

function unwrapNohup(words: readonly ShellWord[], { report, folders }: Inspection): Unwrapped {
  report.paths.push({ access: 'write', word: literalWord('nohup.out'), folders });
  return after(words, {});
}

function unwrapTimeout(words: readonly ShellWord[]): Unwrapped {
  const spec = {
    flags: 'vfp',
    valued: 'ks',
    long: ['preserve-status', 'foreground', 'verbose'],
    longValued: ['kill-after', 'signal'],
  };
  const read = readLeadingOptions(words, spec);
  const duration = read && words[read.next];
  return duration?.kind === 'literal' && /^[\d.]+[smhd]?$/.test(duration.value) ? after(words, spec, 1) : UNCLEAR;
}

function unwrapEnv(words: readonly ShellWord[], inspection: Inspection): Unwrapped {
  const read = readLeadingOptions(words, {
    flags: 'i0v',
    valued: 'uCS',
    long: ['ignore-environment', 'null', 'debug'],
    longValued: ['unset', 'chdir', 'split-string'],
  });
  if (!read) return UNCLEAR;
  const [split, ...moreSplits] = valuesOf(read, 'S', 'split-string');
  const [folder, ...moreFolders] = valuesOf(read, 'C', 'chdir');
  if (moreSplits.length > 0 || moreFolders.length > 0) return UNCLEAR;
  if (split !== undefined && !/^[\w\s./=:,@%+-]*$/.test(split)) {
    return { kind: 'unclear', reason: 'splits a text with quotes or escapes' };
  }
  const given = split === undefined ? [] : split.split(/\s+/).filter(Boolean).map(literalWord);
  // A single dash means -i.
  const rest = [...given, ...words.slice(words[read.next]?.value === '-' ? read.next + 1 : read.next)];
  let at = 0;
  for (; at < rest.length; at++) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(rest[at]!.value) ?? [];
    if (name === undefined) break;
    const concern = assignmentConcern(name, rest[at]!.kind === 'literal' ? value! : null);
    if (concern) ask(inspection, concern);
  }
  if (at === rest.length) return PLAIN;
  if (folder === undefined) return { kind: 'words', words: rest.slice(at) };
  const { report, folders, place } = inspection;
  report.paths.push({ access: 'read', word: literalWord(folder), folders });
  const paths = pathsOf(folder, { folders, home: place.home });
  if (paths?.length !== 1) return { kind: 'unclear', reason: 'runs in a folder that is not known' };
  return { kind: 'words', words: rest.slice(at), folder: paths[0]! };
}

/** The words that xargs adds are not known; those with the placeholder are not either. */
function unwrapXargs(words: readonly ShellWord[]): Unwrapped {
  const read = readLeadingOptions(words, {
    flags: '0rtpxo',
    valued: 'IndPLsE',
    long: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
    longValued: ['replace', 'max-args', 'max-procs', 'max-lines', 'max-chars', 'delimiter', 'eof'],
  });
  if (!read) return UNCLEAR;
  const inner = words.slice(read.next);
  if (inner.length === 0) return PLAIN;
  const placeholders = valuesOf(read, 'I', 'replace');
  const filled = inner.map((word): ShellWord => {
    return placeholders.some((text) => word.value.includes(text)) ? { ...word, kind: 'dynamic' } : word;
  });
  // Other options can make it add words in spite of a placeholder.
  return { kind: 'words', words: [...filled, UNKNOWN_WORD] };
}

function valuesOf({ options }: ReadOptions, ...names: string[]): string[] {
  return options.filter(({ name }) => names.includes(name)).map(({ value }) => value ?? '');
}

function unwrapWatch(words: readonly ShellWord[]): Unwrapped {
  const read = readLeadingOptions(words, {
    flags: 'bcCegptrwdx',
    valued: 'nq',
    long: ['beep', 'color', 'no-color', 'errexit', 'chgexit', 'precise', 'no-title', 'no-wrap', 'exec', 'differences'],
    longValued: ['interval', 'equexit'],
  });
  if (!read) return UNCLEAR;
  const runsDirectly = read.options.some(({ name }) => name === 'x' || name === 'exec');
  return runsDirectly ? { kind: 'words', words: words.slice(read.next) } : joined(words, read.next);
}
