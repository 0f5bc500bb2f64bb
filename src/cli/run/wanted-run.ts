import fs from 'node:fs';
import type { NewRun } from '../../client/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { requireEngine } from '../../runs/index.ts';
import type { RunOptions } from '../commands/run.ts';
import { usage } from './record-options.ts';

/** What the command line asks for: a command, or an engine with a prompt. */
export function wantedRun(
  beforeDashes: readonly string[],
  afterDashes: readonly string[],
  options: RunOptions,
): NewRun {
  const [engine, ...more] = beforeDashes;
  if (engine === undefined) {
    refuseEngineOptions(options);
    if (afterDashes.length === 0) {
      throw usage('nothing to run', 'Put the command after --, e.g.: tacho run -- npm test');
    }
    return { command: [...afterDashes] };
  }
  if (more.length > 0 || (afterDashes.length === 0 && options.promptFile === undefined)) {
    throw missingDashes(beforeDashes, afterDashes);
  }
  requireEngine(engine);
  return {
    engine,
    prompt: readPrompt(options, afterDashes),
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

function parseOf(text = 'on'): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw usage(`--parse ${text} is not known`, 'Use on or off.');
}

function readPrompt(options: RunOptions, afterDashes: readonly string[]): string {
  const { promptFile } = options;
  if (promptFile === undefined) return afterDashes.join(' ');
  if (afterDashes.length > 0) throw usage('there are two prompts', 'Give --prompt-file or words after --, not both.');
  try {
    return fs.readFileSync(promptFile === '-' ? 0 : promptFile, 'utf8');
  } catch (cause) {
    throw new TachoError('PROMPT_INVALID', `--prompt-file ${promptFile}: ${(cause as Error).message}`, { cause });
  }
}

function refuseEngineOptions(options: RunOptions): void {
  const names = {
    mode: '--mode',
    model: '--model',
    baseUrl: '--base-url',
    engineArg: '--engine-arg',
    promptFile: '--prompt-file',
    requireMarker: '--require-marker',
    format: '--format',
    authFromHome: '--auth-from-home',
    parse: '--parse',
  } as const;
  for (const [key, flag] of Object.entries(names)) {
    if (options[key as keyof typeof names] === undefined) continue;
    throw usage(`${flag} is for engines`, `Name the engine before the dashes: tacho run codex ${flag} … -- "prompt"`);
  }
}

/** `tacho run npm test` and `tacho run codex fix it`: what was meant is clear, so the fix can say it. */
function missingDashes(beforeDashes: readonly string[], afterDashes: readonly string[]): TachoError {
  const [first, ...rest] = [...beforeDashes, ...afterDashes];
  try {
    requireEngine(first!);
  } catch {
    // No engine: then it is the beginning of a command.
    const line = [first, ...rest].join(' ');
    return usage(`"${first}" is neither an engine nor an option`, `Put -- before a command: tacho run -- ${line}`);
  }
  const prompt = rest.join(' ') || 'what is to be done';
  return usage('the prompt is missing', `Put it after --: tacho run ${first} -- "${prompt}"`);
}
