import { checkSubstitutedDownload } from './combinations.ts';
import { checkDangers } from './dangers.ts';
import { findCommands } from './find-commands.ts';
import { pathsOf } from './folders.ts';
import { inspectLine } from './inspect-line.ts';
import { LAUNCHERS, OTHER_SHELLS, SHELLS } from './program-kinds.ts';
import { baseName, systemName } from './program-name.ts';
import { ask, type FoundCommand, type Inspection, MAX_DEPTH } from './report.ts';
import { unwrapShell } from './unwrap-shell.ts';
import type { ShellWord } from './word.ts';
import { type Unwrapped, WRAPPERS } from './wrappers.ts';

/** Adds a simple command, and all commands that it starts, to the report. */
export function inspectCommand(
  words: readonly ShellWord[],
  inspection: Inspection,
  { substitutions = [] }: { substitutions?: readonly FoundCommand[] } = {},
): void {
  const program = words[0]!;
  inspection.budget -= words.length;
  if (inspection.budget < 0 || program.kind !== 'literal') {
    const isTooMuch = program.kind === 'literal';
    ask(inspection, isTooMuch ? 'has too many commands' : `does not name its program literally: ${shown(program)}`);
    return;
  }
  const name = baseName(program);
  checkSubstitutedDownload(name, substitutions, inspection);
  checkDangers(name, words, inspection);
  if (inspection.input.from === 'pipe' && inspection.input.text !== null && SHELLS.has(name)) {
    inspectForDangers(inspection, (apart) => inspectLine((apart.input as { text: string }).text, apart));
  }
  const unwrapped = unwrap(name, words, inspection);
  const isWrapper = (unwrapped.kind === 'words' || unwrapped.kind === 'line') && systemName(program) !== null;
  inspection.report.commands.push({ words, isWrapper, folders: inspection.folders });
  inspectUnwrapped(name, unwrapped, words, inspection);
  if (name === 'cd') changeFolder(words, inspection);
  if (name === 'find') inspectFindCommands(words, inspection);
  if (LAUNCHERS.has(name)) inspectSuffixes(words, inspection);
}

function unwrap(name: string, words: readonly ShellWord[], inspection: Inspection): Unwrapped {
  if (SHELLS.has(name) || OTHER_SHELLS.has(name)) return unwrapShell(words, inspection);
  return WRAPPERS.get(name)?.(words, inspection) ?? { kind: 'plain' };
}

function inspectUnwrapped(
  name: string,
  unwrapped: Unwrapped,
  words: readonly ShellWord[],
  inspection: Inspection,
): void {
  const { folders, input } = inspection;
  switch (unwrapped.kind) {
    case 'words':
      if (unwrapped.folder !== undefined) inspection.folders = [unwrapped.folder];
      inspectCommand(unwrapped.words, inspection);
      break;
    case 'line':
      if (OTHER_SHELLS.has(name)) ask(inspection, `${name} has a language of its own`);
      // The text of a shell's input is no input of the commands in it.
      if (SHELLS.has(name) && input.from === 'text') inspection.input = { from: 'text', text: null };
      inspectLine(unwrapped.line, inspection);
      break;
    case 'unclear':
      ask(inspection, `${name} ${unwrapped.reason}`);
      inspectSuffixes(words, inspection);
      break;
    case 'plain':
      break;
  }
  // `eval`, `command` and `builtin` run in the shell itself, so that a `cd` in them lasts.
  if (!/^(?:eval|command|builtin)$/.test(name)) inspection.folders = folders;
  inspection.input = input;
}

function inspectFindCommands(words: readonly ShellWord[], inspection: Inspection): void {
  const { folders } = inspection;
  for (const { words: inner, inFileFolder } of findCommands(words)) {
    if (inFileFolder) inspection.folders = null;
    inspectCommand(inner, inspection);
    inspection.folders = folders;
  }
}

/** Any rest of the words may be the command that this program starts, and any word a line: are they dangerous? */
function inspectSuffixes(words: readonly ShellWord[], inspection: Inspection): void {
  for (let at = 1; at < words.length && inspection.budget > 0 && inspection.depth < MAX_DEPTH; at++) {
    const word = words[at]!;
    if (word.value === '') continue;
    inspectForDangers(inspection, (apart) => {
      if (word.kind === 'literal' && !/^-/.test(word.value)) inspectCommand(words.slice(at), apart);
      if (/\s/.test(word.value)) inspectLine(word.value, apart);
    });
  }
}

/** Keeps only what is dangerous: the rest is a guess. */
function inspectForDangers(inspection: Inspection, inspect: (apart: Inspection) => void): void {
  const apart: Inspection = {
    ...inspection,
    depth: inspection.depth + 1,
    report: { commands: [], findings: [], paths: [] },
  };
  inspect(apart);
  inspection.budget = apart.budget;
  inspection.report.findings.push(...apart.report.findings.filter(({ decision }) => decision === 'deny'));
}

/** The folder after a `cd` that succeeds. */
function changeFolder(words: readonly ShellWord[], inspection: Inspection): void {
  const [target, ...more] = words.slice(words[1]?.value === '--' ? 2 : 1);
  const isPlain = target?.kind === 'literal' && more.length === 0 && !target.value.startsWith('-');
  inspection.folders = isPlain ? pathsOf(target.value, { ...inspection, home: inspection.place.home }) : null;
}

function shown({ value }: ShellWord): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value;
}
