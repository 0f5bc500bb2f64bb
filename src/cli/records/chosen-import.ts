import fs from 'node:fs';
import os from 'node:os';
import { type EngineProfile, findEngine } from '../../engines/index.ts';
import { type RunMode, runModeSchema } from '../../protocol/index.ts';
import {
  engineNames,
  type ImportRequest,
  type OpenedImport,
  openFolder,
  openLog,
  openOutput,
  openTerminal,
  type RunContext,
  requireEngine,
} from '../../runs/index.ts';
import type { ImportOptions } from '../commands/records.ts';
import { usage } from '../run/record-options.ts';

export type Words = readonly (string | undefined)[];

export interface ChosenImport {
  attempts: [ImportRequest, ...ImportRequest[]];
  format: string;
  /** The format was found by the content. */
  isFound: boolean;
}

/** What the words and options of `tacho import` stand for, opened and checked. */
export function chooseImport(words: Words, options: ImportOptions, context: RunContext): ChosenImport {
  const mode = modeOf(options);
  const requireMarker = options.requireMarker ?? false;
  const exit = exitOf(options);
  const { engine, file, folder } = givenBy(words, options, context);
  if (folder !== null) {
    if (exit) throw usage('the files of a folder say how its attempts ended', 'Leave out --exit-code and --signal.');
    refuseLogs(options);
    const attempts = openFolder(folder, { engine, mode, requireMarker });
    return { attempts, format: 'folder of attempts', isFound: true };
  }
  const opened = open({ engine, file }, options, exit !== null);
  const { profile, source, format } = opened;
  const files = filesOf(words, options);
  const attempts: ChosenImport['attempts'] = [{ profile, source, exit, mode: mode ?? 'auto', requireMarker, files }];
  return { attempts, format, isFound: file !== null };
}

interface Given {
  engine: EngineProfile | null;
  file: string | null;
}

function open({ engine, file }: Given, options: ImportOptions, isExitKnown: boolean): OpenedImport {
  const { stdout = null, stderr = null, pty = null, stdin = null, timing = null } = options;
  const isSplit = stdout !== null || stderr !== null;
  if ([file, stdout, stderr, pty, stdin, timing].filter((name) => name === '-').length > 1) {
    throw usage('only one log can come from standard input', 'Give files for the others.');
  }
  if (file !== null) {
    if (isSplit || pty !== null)
      throw usage(`both ${file} and a stream were given`, 'Give a file, or --stdout, --stderr and --pty.');
    return openLog(file, engine, { timing, stdin });
  }
  if (!isSplit && pty === null)
    throw usage('no log was given', 'Give a file, a folder, or at least one of --stdout, --stderr and --pty.');
  if (engine === null)
    throw usage('no engine was given', 'Name the engine, or text; or give a file alone, to find its format.');
  if (timing !== null || stdin !== null) {
    if (isSplit || pty === null) throw usage('--timing and --stdin belong to a terminal', 'Use them with --pty alone.');
    return openTerminal(pty, engine, { timing, stdin });
  }
  if (!isExitKnown) {
    throw usage('how it ended is missing', 'Add --exit-code or --signal, so that tacho can decide whether it worked.');
  }
  return openOutput({ stdout, stderr, pty }, engine);
}

/** One word is an engine, or a file or folder where no stream was given. */
function givenBy(
  [first, second]: Words,
  { run, stdout, stderr, pty }: ImportOptions,
  context: RunContext,
): Given & { folder: string | null } {
  const hasStreams = [stdout, stderr, pty].some((name) => name !== undefined);
  if (run !== undefined) {
    if (second !== undefined)
      throw usage(`both ${second} and --run were given`, 'Give the folder alone, or an engine and the folder.');
    return { engine: first === undefined ? null : engineNamed(first, context), file: null, folder: run };
  }
  if (first === undefined) return { engine: null, file: null, folder: null };
  if (second !== undefined || hasStreams) return place(engineNamed(first, context), second ?? null);
  if (first === 'text' || engineNames(context).includes(first))
    throw usage(`what ${first} printed is missing`, 'Give a file, or at least one of --stdout, --stderr and --pty.');
  return place(null, first);
}

function refuseLogs({ stdout, stderr, pty, stdin, timing }: ImportOptions): void {
  if ([stdout, stderr, pty, stdin, timing].every((name) => name === undefined)) return;
  throw usage('a folder has all logs of its attempts', 'Give the folder alone, or an engine and the folder.');
}

function place(engine: EngineProfile | null, name: string | null): Given & { folder: string | null } {
  return isFolder(name) ? { engine, file: null, folder: name } : { engine, file: name, folder: null };
}

function isFolder(name: string | null): boolean {
  try {
    return name !== null && fs.statSync(name).isDirectory();
  } catch {
    return false; // Opening it as a file then says why.
  }
}

function engineNamed(name: string, context: RunContext): EngineProfile {
  return name === 'text' ? findEngine('text')! : requireEngine(name, context);
}

function filesOf([first, second]: Words, { stdout, stderr, pty, stdin, timing }: ImportOptions): string[] {
  const isFile = second === undefined && [stdout, stderr, pty].every((name) => name === undefined);
  return [isFile ? first : second, stdout, stderr, pty, stdin, timing].filter((name) => name !== undefined);
}

function modeOf({ mode }: ImportOptions): RunMode | null {
  if (mode === undefined) return null;
  const known = runModeSchema.safeParse(mode);
  if (!known.success) throw usage(`--mode ${mode} is not known`, 'Use auto or interactive.');
  return known.data;
}

function exitOf({ exitCode, signal }: ImportOptions): ImportRequest['exit'] {
  if (signal !== undefined) {
    if (!Object.hasOwn(os.constants.signals, signal)) throw usage(`unknown signal "${signal}"`, 'E.g. SIGTERM.');
    return { exit_code: null, signal };
  }
  if (exitCode === undefined) return null;
  if (!/^\d{1,3}$/.test(exitCode) || Number(exitCode) > 255) {
    throw usage(`--exit-code must be a number from 0 to 255, got "${exitCode}"`, 'For example: --exit-code 1');
  }
  return { exit_code: Number(exitCode), signal: null };
}
