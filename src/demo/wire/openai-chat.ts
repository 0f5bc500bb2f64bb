import type { Answer, ToolCall } from '../answer.ts';
import { type JsonObject, objectIn, objectsIn, textIn, textsIn } from '../json-value.ts';
import type { DeclaredTool, ModelRequest, Turn } from '../model-request.ts';
import { problem } from '../problem.ts';
import { openaiError } from './openai-error.ts';
import type { Frame, Protocol } from './protocol.ts';
import { textPieces } from './text-pieces.ts';
import { billOf, TOKENS, type Tokens } from './usage.ts';
import { wireId } from './wire-id.ts';

/** OpenAI chat completions: opencode, qwen, pi and most servers of open models. */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  errorBody: openaiError,
  tokenCount: { input_tokens: TOKENS.input },
  bill: billOf,

  readRequest(body, path) {
    const messages = objectsIn(body.messages);
    if (messages.length === 0) return problem(400, 'messages must be a list with at least one message');
    return {
      model: textIn(body.model) || path.model,
      transport: body.stream === true ? 'events' : 'document',
      instructions: messages.filter(isInstruction).map(contentOf).join('\n'),
      turns: messages.flatMap(readTurn),
      tools: objectsIn(body.tools).map(readTool),
      forcedTool: textIn(objectIn(objectIn(body.tool_choice).function).name) || null,
      answerSchema: readSchema(objectIn(body.response_format)),
      wantsReasoning: true,
    };
  },

  document(request, answer) {
    const message = {
      role: 'assistant',
      content: answer.text || null,
      ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
      ...(answer.toolCall ? { tool_calls: [functionCall(answer.toolCall)] } : {}),
    };
    const choice = { index: 0, message, finish_reason: finishReason(answer) };
    return { ...head(request, 'chat.completion'), choices: [choice], usage: usageOf(answer.tokens) };
  },

  frames(request, answer) {
    const chunk = head(request, 'chat.completion.chunk');
    const delta = (content: JsonObject, finish: string | null = null): Frame => ({
      data: { ...chunk, choices: [{ index: 0, delta: content, finish_reason: finish }] },
    });
    return [
      delta({ role: 'assistant', content: '' }),
      ...(answer.reasoning ? [delta({ reasoning_content: answer.reasoning })] : []),
      ...textPieces(answer.text).map((content) => delta({ content })),
      ...(answer.toolCall ? [delta({ tool_calls: [{ index: 0, ...functionCall(answer.toolCall) }] })] : []),
      delta({}, finishReason(answer)),
      { data: { ...chunk, choices: [], usage: usageOf(answer.tokens) } },
      { data: '[DONE]' },
    ];
  },
};

function usageOf({ input, cacheRead, output, reasoning }: Tokens): JsonObject {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function readTurn({ role, content }: JsonObject): Turn[] {
  switch (role) {
    case 'user':
    case 'assistant':
    case 'tool':
      return [{ role, texts: textsIn(content) }];
    case 'function':
      return [{ role: 'tool', texts: textsIn(content) }];
    default:
      return [];
  }
}

function readTool(tool: JsonObject): DeclaredTool {
  const declared = objectIn(tool.type === 'custom' ? tool.custom : tool.function);
  return {
    name: textIn(declared.name) || textIn(tool.type),
    kind: tool.type === 'custom' ? 'custom' : 'function',
    parameters: objectIn(declared.parameters),
  };
}

/** `json_object` requires JSON without a schema: any object will do. */
function readSchema(format: JsonObject): JsonObject | null {
  if (format.type === 'json_schema') return objectIn(objectIn(format.json_schema).schema);
  return format.type === 'json_object' ? { type: 'object', properties: { title: {} }, required: ['title'] } : null;
}

function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function contentOf({ content }: JsonObject): string {
  return textsIn(content).join('\n');
}

function head({ model }: ModelRequest, object: string): JsonObject {
  return { id: wireId('chatcmpl-'), object, created: Math.floor(Date.now() / 1000), model };
}

function functionCall(call: ToolCall): JsonObject {
  const id = wireId('call_');
  if (call.kind === 'custom') return { id, type: 'custom', custom: { name: call.name, input: call.input } };
  return { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } };
}

function finishReason({ toolCall }: Answer): string {
  return toolCall ? 'tool_calls' : 'stop';
}
