import type { Answer } from '../answer.ts';
import { isObject, type JsonObject, objectIn, objectsIn, textIn, textsIn } from '../json-value.ts';
import type { ModelRequest, Turn } from '../model-request.ts';
import { problem } from '../problem.ts';
import type { Frame, Protocol } from './protocol.ts';
import { textPieces } from './text-pieces.ts';
import { billOf, TOKENS, type Tokens } from './usage.ts';
import { wireId } from './wire-id.ts';

const ERROR_TYPES: Record<number, string> = {
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
};

/** Anthropic messages: claude. */
export const anthropic: Protocol = {
  name: 'anthropic',
  tokenCount: { input_tokens: TOKENS.input },
  bill: (tokens) => ({ ...billOf(tokens), cache_write_tokens: tokens.cacheWrite }),

  readRequest(body, path) {
    const messages = objectsIn(body.messages);
    if (messages.length === 0) return problem(400, 'messages must be a list with at least one message');
    const choice = objectIn(body.tool_choice);
    const format = objectIn(objectIn(body.output_config).format ?? body.output_format);
    return {
      model: textIn(body.model) || path.model,
      transport: body.stream === true ? 'events' : 'document',
      instructions: textsIn(body.system).join('\n'),
      turns: messages.flatMap(readTurns),
      tools: objectsIn(body.tools).map((tool) => ({
        name: textIn(tool.name),
        kind: isObject(tool.input_schema) ? 'function' : 'builtin',
        parameters: objectIn(tool.input_schema),
      })),
      forcedTool: choice.type === 'tool' ? textIn(choice.name) || null : null,
      answerSchema: isObject(format.schema) ? format.schema : null,
      wantsReasoning: ['enabled', 'adaptive'].includes(textIn(objectIn(body.thinking).type)),
    };
  },

  document(request, answer) {
    const content = contentBlocks(request, answer);
    return { ...head(request), content, stop_reason: stopReason(answer), usage: usageOf(answer.tokens) };
  },

  frames(request, answer) {
    const usage = { ...usageOf(answer.tokens), output_tokens: 1 };
    const message = { ...head(request), content: [], stop_reason: null, usage };
    const events: JsonObject[] = [
      { type: 'message_start', message },
      { type: 'ping' },
      ...contentBlocks(request, answer).flatMap(blockEvents),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: answer.tokens.output },
      },
      { type: 'message_stop' },
    ];
    return events.map((data): Frame => ({ event: textIn(data.type), data }));
  },

  errorBody(status, message) {
    const type = ERROR_TYPES[status] ?? 'invalid_request_error';
    return { type: 'error', error: { type, message }, request_id: wireId('req_') };
  },
};

function usageOf({ input, cacheRead, cacheWrite, output }: Tokens): JsonObject {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}

/** Tool results are parts of a user message, possibly next to the agent's own reminders. */
function readTurns({ role, content }: JsonObject): Turn[] {
  const texts = textsIn(content);
  if (role === 'assistant') return [{ role, texts }];
  const results = objectsIn(content).filter(({ type }) => type === 'tool_result');
  return [
    ...results.map((result): Turn => ({ role: 'tool', texts: textsIn(result.content) })),
    ...(texts.length > 0 ? [{ role: 'user', texts } satisfies Turn] : []),
  ];
}

function head({ model }: ModelRequest): JsonObject {
  return { id: wireId('msg_'), type: 'message', role: 'assistant', model, stop_sequence: null };
}

function contentBlocks({ wantsReasoning }: ModelRequest, { reasoning, text, toolCall }: Answer): JsonObject[] {
  const blocks: JsonObject[] = [];
  if (reasoning && wantsReasoning) blocks.push({ type: 'thinking', thinking: reasoning, signature: 'ZGVtbw==' });
  if (text) blocks.push({ type: 'text', text });
  if (toolCall?.kind === 'function') {
    blocks.push({ type: 'tool_use', id: wireId('toolu_'), name: toolCall.name, input: toolCall.arguments });
  }
  return blocks;
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const [emptied, deltas] = taken(block);
  return [
    { type: 'content_block_start', index, content_block: emptied },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** A block as it starts, and the deltas added to it. */
function taken(block: JsonObject): [JsonObject, JsonObject[]] {
  switch (block.type) {
    case 'thinking':
      return [
        { ...block, thinking: '', signature: '' },
        [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      ];
    case 'text':
      return [{ ...block, text: '' }, textPieces(textIn(block.text)).map((text) => ({ type: 'text_delta', text }))];
    default:
      return [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]];
  }
}

function stopReason({ toolCall }: Answer): string {
  return toolCall ? 'tool_use' : 'end_turn';
}
