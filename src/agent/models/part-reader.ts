import type { LanguageModelV3FinishReason, LanguageModelV3Usage } from '@ai-sdk/provider';
import { brokenResponse } from './failure/to-model-failure.ts';
import { type ModelChunk, ModelFailure } from './model.ts';
import { modelUsage } from './model-usage.ts';
import type { StreamPart } from './provider-model.ts';

type Kind = Extract<ModelChunk, { type: 'delta' }>['kind'];
type FinishReason = Extract<ModelChunk, { type: 'finish' }>['finish_reason'];
type Metadata = Record<string, Record<string, unknown>>;

/** A part of the response that has begun and may still grow. */
interface OpenPart {
  kind: Kind;
  /** Null until it has any content: an empty text is not a part of the response. */
  number: number | null;
  /** Arguments so far. */
  text: string;
  /** Deltas that are not JSON: only the whole input counts. */
  isRaw: boolean;
  meta: Metadata | null;
}

const FINISH_REASONS: Readonly<Record<LanguageModelV3FinishReason['unified'], FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
  other: 'other',
};

export interface PartReader {
  /** Adds to `chunks` what a part of the stream means. Throws `ModelFailure`, or the error that the stream reports. */
  read(part: StreamPart, chunks: { push(chunk: ModelChunk): void }): void;
}

/** Turns the parts of one response into chunks. */
export function partReader(): PartReader {
  const blocks = new Map<string, OpenPart>();
  const calls = new Map<string, OpenPart>();
  let count = 0;
  let hasCalls = false;
  let chunks: { push(chunk: ModelChunk): void };

  function open(kind: Kind): OpenPart {
    return { kind, number: null, text: '', isRaw: false, meta: null };
  }

  function grow(part: OpenPart, text: string): void {
    if (part.number !== null && text === '') return;
    part.number ??= count++;
    chunks.push({ type: 'delta', kind: part.kind, part: part.number, text });
  }

  function close(part: OpenPart): void {
    if (part.meta === null) return;
    if (part.number === null) grow(part, '');
    chunks.push({ type: 'meta', part: part.number!, meta: asWantedBack(part.meta) });
    part.meta = null;
  }

  function block(kind: 'text' | 'reasoning', id: string): OpenPart {
    const key = `${kind} ${id}`;
    const part = blocks.get(key) ?? open(kind);
    blocks.set(key, part);
    return part;
  }

  function startBlock(kind: 'text' | 'reasoning', id: string, metadata: Metadata | undefined): void {
    endBlock(kind, id, undefined);
    const part = block(kind, id);
    addMeta(part, metadata);
    // Its place among the parts is that of its beginning, even if only its metadata is of use.
    if (part.meta !== null) grow(part, '');
  }

  function growBlock(kind: 'text' | 'reasoning', id: string, text: string, metadata: Metadata | undefined): void {
    const part = block(kind, id);
    addMeta(part, metadata);
    if (text !== '' || part.meta !== null) grow(part, text);
  }

  /** Ids may be used again once a block has ended. */
  function endBlock(kind: 'text' | 'reasoning', id: string, metadata: Metadata | undefined): void {
    const key = `${kind} ${id}`;
    const part = blocks.get(key);
    if (part === undefined) return;
    blocks.delete(key);
    addMeta(part, metadata);
    close(part);
  }

  function startCall(id: string, name: string): OpenPart {
    const part = open('tool_arguments');
    part.number = count++;
    hasCalls = true;
    calls.set(id, part);
    chunks.push({ type: 'delta', kind: part.kind, part: part.number, text: '', call_id: id, name });
    return part;
  }

  function finishCall(part: OpenPart, input: unknown): void {
    const whole = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    if (part.text !== whole && whole.startsWith(part.text)) grow(part, whole.slice(part.text.length));
  }

  return {
    read(part, into) {
      chunks = into;
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          return startBlock(kindOf(part.type), part.id, part.providerMetadata);
        case 'text-delta':
        case 'reasoning-delta':
          return growBlock(kindOf(part.type), part.id, part.delta, part.providerMetadata);
        case 'text-end':
        case 'reasoning-end':
          return endBlock(kindOf(part.type), part.id, part.providerMetadata);
        case 'tool-input-start': {
          if (part.providerExecuted) throw executedElsewhere(part.toolName);
          const call = startCall(part.id, part.toolName);
          call.isRaw = part.inputEncoding === 'text';
          return addMeta(call, part.providerMetadata);
        }
        case 'tool-input-delta': {
          const call = calls.get(part.id);
          if (call === undefined) return;
          addMeta(call, part.providerMetadata);
          if (call.isRaw) return;
          call.text += part.delta;
          return grow(call, part.delta);
        }
        case 'tool-input-end': {
          const call = calls.get(part.id);
          return call && addMeta(call, part.providerMetadata);
        }
        case 'tool-call': {
          if (part.providerExecuted) throw executedElsewhere(part.toolName);
          const call = calls.get(part.toolCallId) ?? startCall(part.toolCallId, part.toolName);
          calls.delete(part.toolCallId);
          finishCall(call, part.input);
          addMeta(call, part.providerMetadata);
          return close(call);
        }
        case 'tool-result':
          throw executedElsewhere(part.toolName);
        case 'tool-approval-request':
          throw executedElsewhere('mcp');
        case 'error':
          throw part.error;
        case 'finish':
          for (const open of [...blocks.values(), ...calls.values()]) close(open);
          chunks.push(finishOf(part, hasCalls));
      }
    },
  };
}

function kindOf(type: StreamPart['type']): 'text' | 'reasoning' {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

/** Later data of a provider about a part completes the earlier one. */
function addMeta(part: OpenPart, metadata: Metadata | undefined): void {
  for (const [provider, fields] of Object.entries(metadata ?? {})) {
    if (Object.keys(fields ?? {}).length === 0) continue;
    part.meta = { ...part.meta, [provider]: { ...part.meta?.[provider], ...fields } };
  }
}

/** Gemini behind a compatible server: the package reads a signature by another name than the one it reports it by. */
function asWantedBack(meta: Metadata): Metadata {
  const signed = Object.values(meta).find(({ thoughtSignature }) => thoughtSignature !== undefined);
  return signed === undefined || meta.google ? meta : { google: { thoughtSignature: signed.thoughtSignature } };
}

function finishOf(
  { finishReason, usage: reported }: { finishReason: LanguageModelV3FinishReason; usage: LanguageModelV3Usage },
  hasCalls: boolean,
): ModelChunk {
  const usage = modelUsage(reported);
  const { unified, raw } = finishReason;
  // OpenAI's package reports this when the stream ends without the event that ends a response.
  if (unified === 'other' && raw === undefined && usage === null) {
    throw brokenResponse('network', 'the response of the model ended before it was complete');
  }
  const reason = FINISH_REASONS[unified] ?? 'other';
  // Many compatible servers say `stop` after tool calls too.
  return { type: 'finish', finish_reason: reason === 'stop' && hasCalls ? 'tool_calls' : reason, usage };
}

function executedElsewhere(tool: string): ModelFailure {
  return new ModelFailure({
    kind: 'invalid_request',
    status: null,
    message: `the model service runs the tool "${tool}" itself, where no policy applies; remove it from the provider's options`,
    retryable: false,
    retry_after_ms: null,
  });
}
