import type { ShellWord } from './word.ts';

/** A reason not to allow a line, whatever the rules say. */
export interface Finding {
  decision: 'ask' | 'deny';
  reason: string;
}

/** Folders that a command may run in; null if they cannot be known. */
export type Folders = readonly string[] | null;

/** A simple command of a line, with the name of its program first. */
export interface FoundCommand {
  words: readonly ShellWord[];
  /** It does nothing but start other commands, which are listed too. */
  isWrapper: boolean;
  folders: Folders;
}

/** A file that a redirection reads or writes. */
export interface PathUse {
  access: 'read' | 'write';
  word: ShellWord;
  folders: Folders;
}

/** Everything that a line would do, as far as it can be known. */
export interface LineReport {
  commands: FoundCommand[];
  findings: Finding[];
  paths: PathUse[];
}

/** What a command reads from its standard input, if that is known to matter. `text` is null if it cannot be known. */
export type CommandInput = { from: 'terminal' } | { from: 'pipe' | 'file' | 'text'; text: string | null };

/** Folders that commands are judged by; absolute. */
export interface Place {
  workspaceRoot: string;
  home: string;
}

/** The state of one inspection; `folders` and `input` change as it proceeds through the line. */
export interface Inspection {
  readonly report: LineReport;
  readonly place: Place;
  folders: Folders;
  input: CommandInput;
  /** Variables of the loops around the command. */
  loopNames: readonly string[];
  depth: number;
  /** Words that may still be looked at: hostile lines nest wrappers without end. */
  budget: number;
}

const MAX_WORDS = 10_000;

export function startInspection(folder: string, place: Place): Inspection {
  return {
    report: { commands: [], findings: [], paths: [] },
    place,
    folders: [folder],
    input: { from: 'terminal' },
    loopNames: [],
    depth: 0,
    budget: MAX_WORDS,
  };
}

/** Shells, substitutions and guesses inside of each other. */
export const MAX_DEPTH = 16;

export function ask(inspection: Inspection, reason: string): void {
  inspection.report.findings.push({ decision: 'ask', reason });
}

export function deny(inspection: Inspection, reason: string): void {
  inspection.report.findings.push({ decision: 'deny', reason });
}
