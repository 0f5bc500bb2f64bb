import fs from 'node:fs';
import path from 'node:path';
import { runModeSchema, TachoError } from '../../protocol/index.ts';
import {
  type AgentRequest,
  type RunContext,
  type RunRequest,
  recoverLostRuns,
  requireEngine,
} from '../../runs/index.ts';
import { openContext } from '../context.ts';
import { describeRecovery } from '../records/recover-runs.ts';
import { LiveConsole } from './live-console.ts';
import { chooseCapture, environmentOf, settingsOf, translateOf, usage } from './record-options.ts';
import type { RecordOptions, RunOptions } from './run.ts';
import { showAttempt } from './show-attempt.ts';

interface RunInvocation {
  /** Words that are neither options nor behind the dashes. */
  beforeDashes: readonly string[];
  afterDashes: readonly string[];
  options: RunOptions;
}

/** `tacho run`: a command, or an engine with a prompt. */
export async function runCommand({ beforeDashes, afterDashes, options }: RunInvocation): Promise<number> {
  const [engine, ...more] = beforeDashes;
  if (engine === undefined) {
    refuseEngineOptions(options);
    if (afterDashes.length === 0) {
      throw usage('nothing to run', 'Put the command after --, e.g.: tacho run -- npm test');
    }
    return record({ engine: 'text', command: afterDashes, agent: null, options });
  }
  if (more.length > 0 || (afterDashes.length === 0 && options.promptFile === undefined)) {
    throw missingDashes(beforeDashes, afterDashes);
  }
  requireEngine(engine);
  const agent = agentOf(options, readPrompt(options, afterDashes));
  return record({ engine, command: [engine], agent, options });
}

/** Records one attempt of what was asked for, and shows it. */
async function record(what: {
  engine: string;
  command: readonly string[];
  agent: AgentRequest | null;
  options: RunOptions;
}): Promise<number> {
  const { options, ...wanted } = what;
  const cwd = options.cwd === undefined ? null : path.resolve(options.cwd);
  const context = openContext(options, { workspaceRoot: cwd ?? process.cwd(), settings: settingsOf(options) });
  const runSelector = options.runDir ?? null;
  return recordAndShow({ ...wanted, cwd, runSelector }, options, context);
}

type Wanted = Pick<RunRequest, 'engine' | 'command' | 'agent' | 'cwd' | 'runSelector'>;

/** The part that `run` and `resume` share. */
export async function recordAndShow(wanted: Wanted, options: RecordOptions, context: RunContext): Promise<number> {
  const translate = translateOf(options.translate, wanted.agent ? 3 : 0);
  process.stderr.write(describeRecovery(await recoverLostRuns(context)));
  const screen = new LiveConsole({ keyboard: wanted.agent === null && translate === 0 });
  const request: RunRequest = {
    ...wanted,
    conversation: translate > 0,
    announced: false,
    limits: {},
    ...environmentOf(options.env ?? []),
    ...chooseCapture(options, wanted.command, context, screen),
    keepTrace: options.keepTrace ?? false,
    // A terminal that has no size is taken for one that does not say.
    cols: screen.cols || context.config.terminal.cols,
    rows: screen.rows || context.config.terminal.rows,
    interactive: screen.interactive,
    exclusive: true,
  };
  return showAttempt(request, context, { translate, json: options.json ?? false, screen });
}

function agentOf(options: RunOptions, prompt: string): AgentRequest {
  const mode = runModeSchema.safeParse(options.mode ?? 'auto');
  if (!mode.success) throw usage(`--mode ${options.mode} is not known`, 'Use auto or interactive.');
  return {
    prompt,
    mode: mode.data,
    model: options.model === undefined ? null : checkedModel(options.model),
    baseUrl: options.baseUrl === undefined ? null : checkedUrl(options.baseUrl),
    engineArguments: options.engineArg ?? [],
    requireMarker: options.requireMarker ?? false,
    format: options.format ?? null,
    authFromHome: options.authFromHome ?? false,
    parse: parseOf(options.parse),
    session: null,
    interactionId: null,
  };
}

function parseOf(text = 'on'): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw usage(`--parse ${text} is not known`, 'Use on or off.');
}

/** It is written into settings of several engines, so it has to be a plain name. */
function checkedModel(name: string): string {
  if (/^[\w][\w./:@+-]*$/.test(name)) return name;
  throw usage(`--model ${name} is no name of a model`, 'E.g.: --model gpt-5.5');
}

/** Without its last slash: engines put paths of their own behind it. */
function checkedUrl(text: string): string {
  const valid = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/["'\\\s{}]/.test(text);
  if (!valid) throw usage(`--base-url ${text} is no address`, 'E.g.: --base-url http://127.0.0.1:8099');
  return text.replace(/\/+$/, '');
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
