import type { AgentData, AssistantPart, Usage } from '../../protocol/index.ts';
import { type AgentModel, ModelFailure, type ModelRequest } from '../models/model.ts';
import { describePrompt, promptMessages } from '../prompt/compile.ts';
import type { PromptPiece } from '../prompt/pieces.ts';
import type { LoopSettings } from '../settings.ts';
import { absorbQueued, trimNeeded } from '../state/history.ts';
import type { Effects } from './effects.ts';
import { failRun } from './end-run.ts';
import { knowCall, requestPrepared } from './request-calls.ts';
import { type Response, ResponseReader } from './response.ts';

/** One step: compiles the prompt, asks the model and takes its response. */
export async function modelTurn(effects: Effects): Promise<void> {
  const { emitter, model, stop } = effects;
  const { state } = emitter;
  if (!state.request?.tries) {
    const pieces = state.head === null ? await effects.compileHead() : null;
    if (stop.aborted) return;
    compilePrompt(effects, pieces);
  }
  const { step, prefixDigest, request } = state;
  const tries = (request?.tries ?? 0) + 1;
  emitter.emit('llm_request_started', {
    step,
    try: tries,
    model: model.id,
    purpose: 'step',
    prefix_digest: prefixDigest,
  });
  await emitter.flushSoon();
  let response: Response | null;
  try {
    response = await readResponse(effects, model, requestOf(effects));
  } catch (error) {
    if (stop.aborted) return;
    await handleFailure(effects, failureOf(error), tries);
    return;
  }
  if (stop.aborted) return;
  if (!response) await handleFailure(effects, failureOf(new Error('the response ended without a finish')), tries);
  else await takeResponse(effects, response);
}

function compilePrompt({ emitter, digest }: Effects, pieces: PromptPiece[][] | null): void {
  const { state } = emitter;
  // The same step again, if its conversation had to be compacted.
  const step = state.request?.compacted ? state.step : state.step + 1;
  absorbQueued(state);
  const trim = trimNeeded(state);
  if (trim) {
    const kept_messages = state.history.length - trim.dropped;
    emitter.emit('history_trimmed', { step, limit: trim.limit, dropped_messages: trim.dropped, kept_messages });
  }
  emitter.emit('prompt_compiled', describePrompt(state, { step, pieces, digest }));
}

function requestOf({ emitter, tools, outputSchema }: Effects): ModelRequest {
  const { state } = emitter;
  const { max_output_tokens, temperature } = state.settings;
  return {
    prompt: promptMessages(state),
    tools: tools.specs,
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(max_output_tokens === null ? {} : { maxOutputTokens: max_output_tokens }),
    ...(temperature === null ? {} : { temperature }),
  };
}

/** Each group of chunks is one write. Null if the model stopped without finishing. */
async function readResponse(effects: Effects, model: AgentModel, request: ModelRequest): Promise<Response | null> {
  const { emitter, stop } = effects;
  const reader = new ResponseReader(effects, emitter.state.step);
  // To stop reading is to end the request: see AgentModel.
  for await (const chunks of model.stream(request, stop)) {
    if (stop.aborted) break;
    const isOver = chunks.some((chunk) => reader.push(chunk));
    await emitter.flushSoon();
    if (isOver) break;
  }
  return reader.response();
}

/** The response becomes part of the conversation; its calls are the next thing to do. */
async function takeResponse(effects: Effects, { parts, finishReason, usage }: Response): Promise<void> {
  const { emitter, model } = effects;
  const { step, settings } = emitter.state;
  const logged = await Promise.all(parts.map((part) => loggedPart(part, effects)));
  if (effects.stop.aborted) return;
  const cost_usd = costOf(usage, model, settings);
  const data: AgentData<'llm_response_completed'> = { step, finish_reason: finishReason, parts, usage, cost_usd };
  const isSame = logged.every((part, index) => part === parts[index]);
  emitter.emit('llm_response_completed', data, isSame ? data : { ...data, parts: logged });
  effects.tree?.charge(emitter.state);
  // The requests of calls that need nothing else are part of the same write.
  if (effects.hooks.isEmpty) requestPrepared(effects);
  await emitter.flushSoon();
}

/** Without what the provider alone can read, and without what the tool hides. Knows the call afterwards. */
async function loggedPart(part: AssistantPart, effects: Effects): Promise<AssistantPart> {
  const { meta, ...rest } = part;
  const shown = part.type === 'tool_call' ? (await knowCall(effects, part)).logged : undefined;
  if (part.type !== 'tool_call' || shown === part.arguments) return meta === undefined ? part : (rest as AssistantPart);
  return { ...rest, arguments: shown } as AssistantPart;
}

export function costOf(usage: Usage | null, { id }: AgentModel, { prices }: LoopSettings): number | null {
  const price = prices[id] ?? prices[id.slice(id.indexOf(':') + 1)];
  if (!usage || !price) return null;
  const { input_tokens = 0, cached_input_tokens = 0, cache_write_tokens = 0, output_tokens = 0 } = usage;
  const millionths =
    input_tokens * price.input +
    cached_input_tokens * price.cached_input +
    cache_write_tokens * price.cache_write +
    output_tokens * price.output;
  return millionths / 1e6;
}

async function handleFailure(effects: Effects, failure: ModelFailure, tries: number): Promise<void> {
  const { emitter, clock, stop } = effects;
  const { state } = emitter;
  const { error } = failure;
  const { max_retries, retry_base_ms, retry_max_ms, retry_after_max_ms } = state.settings;
  if (error.kind === 'context_overflow') {
    emitter.emit('llm_request_failed', { step: state.step, try: tries, error, retry: null });
    await emitter.flush();
    return;
  }
  if (!error.retryable || tries > max_retries) {
    emitter.emit('llm_request_failed', { step: state.step, try: tries, error, retry: null });
    await failRun(effects, 'model_error', error.message);
    return;
  }
  if ((error.retry_after_ms ?? 0) > retry_after_max_ms) {
    emitter.emit('llm_request_failed', { step: state.step, try: tries, error, retry: null });
    await failRun(effects, 'model_error', `${error.message} (${waitOf(error.retry_after_ms!, retry_after_max_ms)})`);
    return;
  }
  const random = effects.random();
  const backoff = Math.min(retry_max_ms, retry_base_ms * 2 ** (tries - 1));
  // Half of it at least, so that agents that failed together do not come back together.
  const delay_ms = Math.round(error.retry_after_ms ?? backoff * (0.5 + random / 2));
  emitter.emit('llm_request_failed', { step: state.step, try: tries, error, retry: { delay_ms, random } });
  await emitter.flush();
  // A stop during the wait is handled by the loop.
  await clock.sleep(delay_ms, stop).catch(() => {});
}

function waitOf(asked: number, max: number): string {
  const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`;
  return `the provider asks to wait ${seconds(asked)}, longer than retry_after_max_ms allows: ${seconds(max)}`;
}

export function failureOf(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ModelFailure({ kind: 'unknown', status: null, message, retryable: true, retry_after_ms: null }, error);
}
