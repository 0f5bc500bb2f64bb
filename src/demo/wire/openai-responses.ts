import type { Answer, ToolCall } from '../answer.ts';
import { type JsonObject, objectIn, objectsIn, textIn, textsIn } from '../json-value.ts';
import type { DeclaredTool, ModelRequest, Turn } from '../model-request.ts';
import { problem } from '../problem.ts';
import { openaiError } from './openai-error.ts';
import { itemEvents } from './openai-item-events.ts';
import type { Frame, Protocol } from './protocol.ts';
import { billOf, TOKENS, type Tokens } from './usage.ts';
import { wireId } from './wire-id.ts';

/** OpenAI responses: the only protocol codex still supports. */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  errorBody: openaiError,
  tokenCount: { object: 'response.input_tokens', input_tokens: TOKENS.input },
  bill: billOf,

  readRequest(body, path) {
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : objectsIn(body.input);
    if (items.length === 0) return problem(400, 'input must be a text or a list with at least one item');
    const format = objectIn(objectIn(body.text).format);
    const choice = objectIn(body.tool_choice);
    return {
      model: textIn(body.model) || path.model,
      transport: body.stream === true ? 'events' : 'document',
      instructions: [textIn(body.instructions), ...items.filter(isInstruction).map(contentOf)].join('\n'),
      turns: items.flatMap(readTurn),
      tools: [body.tools, ...items.filter(isToolList).map(({ tools }) => tools)].flatMap(readTools),
      forcedTool: choice.type === 'function' ? textIn(choice.name) || null : null,
      answerSchema: format.type === 'json_schema' ? objectIn(format.schema) : null,
      wantsReasoning: true,
    };
  },

  document(request, answer) {
    return { ...head(request), status: 'completed', output: outputItems(answer), usage: usageOf(answer.tokens) };
  },

  frames(request, answer) {
    const response = head(request);
    const items = outputItems(answer);
    const started = { ...response, status: 'in_progress', output: [], usage: null };
    const events: JsonObject[] = [
      { type: 'response.created', response: started },
      { type: 'response.in_progress', response: started },
      ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
      {
        type: 'response.completed',
        response: { ...response, status: 'completed', output: items, usage: usageOf(answer.tokens) },
      },
    ];
    return events.map(
      (event, sequence_number): Frame => ({
        event: textIn(event.type),
        data: { ...event, sequence_number },
      }),
    );
  },
};

function usageOf({ input, cacheRead, output, reasoning }: Tokens): JsonObject {
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + output,
  };
}

function readTurn(item: JsonObject): Turn[] {
  const type = textIn(item.type) || 'message';
  if (type.endsWith('_output')) return [{ role: 'tool', texts: textsIn(item.output) }];
  if (type !== 'message' || (item.role !== 'user' && item.role !== 'assistant')) return [];
  return [{ role: item.role, texts: textsIn(item.content) }];
}

/** Codex declares the tools of its newer models in the input. */
function isToolList({ type }: JsonObject): boolean {
  return type === 'additional_tools';
}

/** A namespace contains its own tools; a tool that is neither a function nor custom is run by the service itself. */
function readTools(tools: unknown): DeclaredTool[] {
  return objectsIn(tools).flatMap((tool) =>
    tool.type === 'namespace' ? objectsIn(tool.tools).map(readTool) : [readTool(tool)],
  );
}

function readTool(tool: JsonObject): DeclaredTool {
  const kind = tool.type === 'function' || tool.type === 'custom' ? tool.type : 'builtin';
  return { name: textIn(tool.name) || textIn(tool.type), kind, parameters: objectIn(tool.parameters) };
}

function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function contentOf({ content }: JsonObject): string {
  return textsIn(content).join('\n');
}

function head({ model }: ModelRequest): JsonObject {
  return {
    id: wireId('resp_'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model,
    error: null,
    incomplete_details: null,
  };
}

function outputItems({ reasoning, text, toolCall }: Answer): JsonObject[] {
  const items: JsonObject[] = [];
  if (reasoning) {
    const summary = [{ type: 'summary_text', text: reasoning }];
    items.push({ type: 'reasoning', id: wireId('rs_'), summary, encrypted_content: 'ZGVtbw==' });
  }
  if (text) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    items.push({ type: 'message', id: wireId('msg_'), role: 'assistant', status: 'completed', content });
  }
  if (toolCall) items.push(callItem(toolCall));
  return items;
}

function callItem(call: ToolCall): JsonObject {
  const common = { call_id: wireId('call_'), name: call.name, status: 'completed' };
  return call.kind === 'custom'
    ? { type: 'custom_tool_call', id: wireId('ctc_'), ...common, input: call.input }
    : { type: 'function_call', id: wireId('fc_'), ...common, arguments: JSON.stringify(call.arguments) };
}
