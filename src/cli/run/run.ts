import fs from 'node:fs';
import path from 'node:path';
import type { NewRun } from '../../client/index.ts';
import { TachoError } from '../../protocol/index.ts';
import {
  type AttemptOrder,
  FIRST_ATTEMPT,
  parseRunRequest,
  type RunContext,
  recoverLostRuns,
  requireEngine,
  settleRequest,
} from '../../runs/index.ts';
import type { RecordOptions, RunOptions } from '../commands/run.ts';
import { openContext } from '../context.ts';
import { describeRecovery } from '../records/recover.ts';
import { LiveConsole } from './live-console.ts';
import { chooseCapture, environmentOf, recordFields, translateOf, usage } from './record-options.ts';
import { showAttempt } from './show-attempt.ts';

interface RunInvocation {
  /** Words that are neither options nor behind the dashes. */
  beforeDashes: readonly string[];
  afterDashes: readonly string[];
  options: RunOptions;
}

/** `tacho run`: a command, or an engine with a prompt. */
export async function runCommand({ beforeDashes, afterDashes, options }: RunInvocation): Promise<number> {
  const what = whatToRun(beforeDashes, afterDashes, options);
  const cwd = options.cwd === undefined ? undefined : path.resolve(options.cwd);
  const context = openContext(options, { workspaceRoot: cwd ?? process.cwd() });
  const order = { ...FIRST_ATTEMPT, run: options.runDir ?? null };
  return recordAndShow({ wanted: { ...what, cwd }, order }, options, context);
}

function whatToRun(beforeDashes: readonly string[], afterDashes: readonly string[], options: RunOptions): NewRun {
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

/** The part that `run` and `resume` share. */
export async function recordAndShow(
  { wanted, order }: { wanted: NewRun; order: AttemptOrder },
  options: RecordOptions,
  context: RunContext,
): Promise<number> {
  const isEngine = wanted.engine !== undefined;
  const translate = translateOf(options.translate, isEngine ? 3 : 0);
  process.stderr.write(describeRecovery(await recoverLostRuns(context)));
  const screen = new LiveConsole({ keyboard: !isEngine && translate === 0 });
  const { interactive } = screen;
  const recording = recordFields(options);
  const request = settleRequest(
    parseRunRequest({
      ...wanted,
      ...environmentOf(options.env ?? [], wanted.env),
      ...chooseCapture(options, wanted, { interactive }),
      keep_trace: options.keepTrace ?? wanted.keep_trace,
      // A person's own terminal type when they watch, and the size of their terminal where it has one.
      term: (interactive && process.env.TERM) || wanted.term,
      cols: screen.cols || wanted.cols,
      rows: screen.rows || wanted.rows,
      recording: { ...wanted.recording, ...recording.recording, conversation: translate > 0 },
      limits: { ...wanted.limits, ...recording.limits },
    }),
    context,
  );
  return showAttempt({ request, order: { ...order, interactive } }, context, {
    translate,
    json: options.json ?? false,
    screen,
  });
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
    return usage(`"${first}" is no engine and no option`, `Put -- before a command: tacho run -- ${line}`);
  }
  const prompt = rest.join(' ') || 'what is to be done';
  return usage('the prompt is missing', `Put it after --: tacho run ${first} -- "${prompt}"`);
}
