import fs from 'node:fs';
import type { NewRun } from '../../client/index.ts';
import { nearest } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { engineNames, ignoredIn, type RunContext, requireEngine } from '../../runs/index.ts';
import type { RunOptions } from '../commands/run.ts';
import { commandLine } from '../output/format.ts';
import { skillFields } from '../skills/skill-options.ts';
import { isProgram } from './is-program.ts';
import { usage } from './record-options.ts';

/** The words of a command line after its options. */
export interface RunWords {
  words: readonly string[];
  afterDashes: readonly string[];
  /** Reads piped input, which becomes part of an engine's prompt. Null: does not read. */
  readPiped: ((options: { required: boolean }) => Promise<string>) | null;
}

/** Which engines there are. */
type Engines = Pick<RunContext, 'config' | 'settings'>;

/** Builds the request from the command line: a command, or an engine with a prompt. */
export async function wantedRun(given: RunWords, options: RunOptions, engines: Engines): Promise<NewRun> {
  const [engine] = given.words;
  if (engine === undefined || !engineNames(engines).includes(engine)) return wantedCommand(given, options, engines);
  return {
    engine,
    ...skillFields(options),
    prompt: await promptOf(engine, given, options),
    mode: options.mode as NewRun['mode'],
    model: options.model,
    base_url: options.baseUrl,
    format: options.format,
    engine_args: options.engineArg,
    require_marker: options.requireMarker,
    parse: parseOf(options.parse),
    auth_from_home: options.authFromHome,
  };
}

function wantedCommand({ words, afterDashes }: RunWords, options: RunOptions, engines: Engines): NewRun {
  const parse_as = parseAsOf(options, engines);
  refuseMisspelledEngine([...words], { afterDashes, options, engines });
  refuseEngineOptions(options);
  if (words.length + afterDashes.length === 0) {
    throw usage(
      'nothing to run',
      'Name a command or an engine: tacho run npm test, or: tacho run codex "fix the test"',
    );
  }
  // Dashes between words belong to the command: npm test -- --watch
  const dashes = words.length > 0 && afterDashes.length > 0 ? ['--'] : [];
  const command = [...words, ...dashes, ...afterDashes];
  return parse_as === undefined ? { command } : { command, parse_as, require_marker: options.requireMarker };
}

/** `tacho run codx "fix it"`: not a program, but similar to an engine's name or used like one. */
function refuseMisspelledEngine(
  [first, ...rest]: readonly string[],
  { afterDashes, options, engines }: { afterDashes: readonly string[]; options: RunOptions; engines: Engines },
): void {
  if (first === undefined || isProgram(first, options.cwd)) return;
  if (afterDashes.length > 0 || ignoredIn(first, engines) !== null) requireEngine(first, engines);
  const meant = nearest(
    first,
    engineNames(engines).map((word) => ({ word })),
  );
  if (!meant) return;
  const corrected = commandLine(['tacho', 'run', meant.word, ...rest, ...afterDashes]);
  throw new TachoError('COMMAND_NOT_FOUND', `${first}: command not found`, {
    facts: { command: first, searched: process.env.PATH ?? '' },
    fix: `Did you mean the engine? ${corrected}`,
  });
}

async function promptOf(engine: string, { words, afterDashes, readPiped }: RunWords, options: RunOptions) {
  const prompt = givenPrompt([...words.slice(1), ...afterDashes], options);
  const hasSkill = options.skill !== undefined;
  const isRead = [options.promptFile, options.input, options.parameters].includes('-');
  if (readPiped === null || isRead) return prompt ?? (hasSkill ? undefined : '');
  const piped = await readPiped({ required: prompt === null && !hasSkill });
  if (prompt !== null) return piped.trim() === '' ? prompt : `${prompt}\n\n${piped}`;
  if (piped.trim() !== '') return piped;
  if (hasSkill) return undefined;
  throw usage(
    'the prompt is missing',
    `Say what to do: tacho run ${engine} "fix the failing test". Or pipe it in: tacho run ${engine} < prompt.txt`,
  );
}

/** Null without a prompt. */
function givenPrompt(words: readonly string[], { promptFile }: RunOptions): string | null {
  if (promptFile === undefined) return words.length === 0 ? null : words.join(' ');
  if (words.length > 0) throw usage('there are two prompts', 'Give --prompt-file or words, not both.');
  try {
    return fs.readFileSync(promptFile === '-' ? 0 : promptFile, 'utf8');
  } catch (cause) {
    throw new TachoError('PROMPT_INVALID', `--prompt-file ${promptFile}: ${(cause as Error).message}`, { cause });
  }
}

function parseOf(text = 'on'): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw usage(
    `--parse ${text} cannot be used with an engine`,
    `Use on or off. For a command that prints the format of an engine: tacho run --parse ${text} ./command`,
  );
}

/** The engine whose format a command prints; undefined for plain text. */
function parseAsOf({ parse }: RunOptions, engines: Engines): string | undefined {
  if (parse === undefined || parse === 'off') return undefined;
  if (parse !== 'on') return requireEngine(parse, engines).name;
  throw usage('--parse on is for engines', 'Name the engine whose format the command prints, e.g.: --parse codex');
}

function refuseEngineOptions(options: RunOptions): void {
  const names = {
    mode: '--mode',
    model: '--model',
    baseUrl: '--base-url',
    engineArg: '--engine-arg',
    promptFile: '--prompt-file',
    skill: '--skill',
    skills: '--skills',
    input: '--input',
    param: '--param',
    parameters: '--parameters',
    requireMarker: '--require-marker',
    format: '--format',
    authFromHome: '--auth-from-home',
  } as const;
  const isParsed = options.parse !== undefined && options.parse !== 'off';
  for (const [key, flag] of Object.entries(names)) {
    if (options[key as keyof typeof names] === undefined || (key === 'requireMarker' && isParsed)) continue;
    throw usage(`${flag} is for engines`, `Name an engine, e.g.: tacho run codex ${flag} … "fix the test"`);
  }
}
