import { TachoError } from '../../protocol/error-code.ts';
import { type AgentModel, type ModelChunk, ModelFailure, type ModelRequest } from './model.ts';
import type { Script, ScriptStep, ScriptTurn } from './script.ts';

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

export interface ScriptedModelOptions {
  /** As it is logged; `scripted:model` by default. */
  id?: string;
  /**
   * Which turn answers a request. `count`, the default: each request gets the next one. `prompt`: as many turns are
   * over as the prompt has answers of the model, so a run that another process resumes continues where it was.
   */
  position?: 'count' | 'prompt';
  /** Keeps the requests in `requests`; off by default, because they hold all of the prompts. */
  record?: boolean;
}

/** A model that follows a script. */
export interface ScriptedModel extends AgentModel {
  /** With `record`: the requests so far. Messages are the same objects that the model got. */
  readonly requests: readonly ModelRequest[];
}

/** A model that follows a script, for tests, demos and examples. It never does any I/O. */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const { id = 'scripted:model', position = 'count', record = false } = options;
  if (typeof script !== 'function' && !Array.isArray(script)) {
    throw new TachoError('MODEL_INVALID', 'a script is neither a list of turns nor a function', {
      fix: "Pass a list such as [say('Hello')], or a function of the request that returns a turn.",
    });
  }
  const requests: ModelRequest[] = [];
  let count = 0;
  return {
    id,
    requests,
    stream: (request, signal) =>
      play(() => {
        const n = position === 'prompt' ? answersIn(request) : count++;
        if (record) requests.push({ ...request, prompt: [...request.prompt] });
        return { n, turn: typeof script === 'function' ? script(request, n) : turnAt(script, n) };
      }, signal),
  };
}

function answersIn({ prompt }: ModelRequest): number {
  let answers = 0;
  for (const { role } of prompt) if (role === 'assistant') answers++;
  return answers;
}

function turnAt(turns: readonly ScriptTurn[], n: number): ScriptTurn {
  const turn = turns[n];
  if (turn !== undefined) return turn;
  const has = turns.length === 1 ? 'only 1 turn' : `only ${turns.length} turns`;
  throw new ModelFailure({
    kind: 'invalid_request',
    status: null,
    message: `the script has ${has}, but the agent asked for another one; add a turn, or end the last one without a tool call`,
    retryable: false,
    retry_after_ms: null,
  });
}

interface PlannedTurn {
  n: number;
  turn: ScriptTurn | Promise<ScriptTurn>;
}

/** What is not cut into pieces arrives as one group, with the end of the turn. */
async function* play(next: () => PlannedTurn, signal: AbortSignal): AsyncGenerator<readonly ModelChunk[]> {
  signal.throwIfAborted();
  const { n, turn } = next();
  let group: ModelChunk[] = [];
  let part = 0;
  let calls = 0;
  let end: Extract<ScriptStep, { type: 'finish' }> | null = null;
  for (const step of stepsOf(turn instanceof Promise ? await turn : turn)) {
    switch (step.type) {
      case 'text':
      case 'reasoning':
      case 'call':
        if (step.type === 'call') calls++;
        for (const chunk of chunksOf(step, part, `call_${n + 1}_${calls}`)) {
          group.push(chunk);
          if (step.pieces === undefined) continue;
          yield group;
          signal.throwIfAborted();
          group = [];
        }
        part++;
        break;
      case 'wait':
        if (group.length > 0) yield group;
        group = [];
        await step.until(signal);
        signal.throwIfAborted();
        break;
      case 'fail':
        if (group.length > 0) yield group;
        throw new ModelFailure(step.error);
      case 'finish':
        end = step;
    }
  }
  const finish_reason = end?.reason ?? (calls > 0 ? 'tool_calls' : 'stop');
  group.push({ type: 'finish', finish_reason, usage: end?.usage === undefined ? NO_TOKENS : end.usage });
  yield group;
}

function chunksOf(step: Extract<ScriptStep, { pieces?: unknown }>, part: number, defaultId: string): ModelChunk[] {
  const isCall = step.type === 'call';
  const kind = isCall ? 'tool_arguments' : step.type;
  const chunks = piecesOf(isCall ? argumentsText(step.arguments) : step.text, step.pieces).map(
    (text, index): ModelChunk =>
      isCall && index === 0
        ? { type: 'delta', kind, part, text, call_id: step.id ?? defaultId, name: step.name }
        : { type: 'delta', kind, part, text },
  );
  if (step.meta !== undefined) chunks.push({ type: 'meta', part, meta: step.meta });
  return chunks;
}

function argumentsText(given: Readonly<Record<string, unknown>> | string): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function stepsOf(turn: ScriptTurn): readonly ScriptStep[] {
  if (typeof turn === 'string') return [{ type: 'text', text: turn }];
  return Array.isArray(turn) ? turn : [turn as ScriptStep];
}

/** Never between the halves of a surrogate pair, which could not be written to a file. */
function piecesOf(text: string, size: number | undefined): string[] {
  if (size === undefined || text.length <= size) return [text];
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + Math.max(1, Math.floor(size)));
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
