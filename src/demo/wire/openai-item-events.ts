import { type JsonObject, objectsIn, textIn } from '../json-value.ts';
import { textPieces } from './text-pieces.ts';

/** The stream events of one response item: added empty, filled, and completed. */
export function itemEvents(item: JsonObject, output_index: number): JsonObject[] {
  const place = { output_index, item_id: item.id };
  return [
    { type: 'response.output_item.added', output_index, item: emptied(item) },
    ...contentEvents(item).map((event) => ({ ...event, ...place })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function emptied(item: JsonObject): JsonObject {
  switch (item.type) {
    case 'reasoning':
      return { ...item, summary: [] };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return { ...item, status: 'in_progress', arguments: '' };
  }
}

function contentEvents(item: JsonObject): JsonObject[] {
  switch (item.type) {
    case 'reasoning':
      return reasoningEvents(objectsIn(item.summary)[0]!);
    case 'message':
      return messageEvents(objectsIn(item.content)[0]!);
    case 'custom_tool_call':
      return [
        { type: 'response.custom_tool_call_input.delta', delta: item.input },
        { type: 'response.custom_tool_call_input.done', input: item.input },
      ];
    default:
      return [
        { type: 'response.function_call_arguments.delta', delta: item.arguments },
        { type: 'response.function_call_arguments.done', arguments: item.arguments },
      ];
  }
}

function reasoningEvents(part: JsonObject): JsonObject[] {
  const at = { summary_index: 0 };
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: part.text },
    { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ];
}

function messageEvents(part: JsonObject): JsonObject[] {
  const at = { content_index: 0 };
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...textPieces(textIn(part.text)).map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
    { type: 'response.output_text.done', ...at, text: part.text },
    { type: 'response.content_part.done', ...at, part },
  ];
}
