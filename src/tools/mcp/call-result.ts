import type { ToolAnswer } from '../tool.ts';
import { visibleLine, wellFormed } from './foreign-text.ts';

const MAX_ITEMS = 1000;
const MAX_LABEL = 200;

/** The answer of a server to a call, for a model: texts as they are, everything else described. */
export function answerOf({ content, structuredContent, isError }: Record<string, unknown>): ToolAnswer {
  const items = Array.isArray(content) ? content : [];
  const texts = items.slice(0, MAX_ITEMS).map(textOf);
  if (items.length > MAX_ITEMS) texts.push(`[${items.length - MAX_ITEMS} more items]`);
  const text = texts.join('\n');
  const data = structuredContent === undefined ? {} : { data: structuredContent as never };
  if (isError !== true) return { ok: true, stdout: text, ...data };
  return { ok: false, error_kind: 'failed', stderr: text || 'the tool reports an error', retryable: true, ...data };
}

function textOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return '[an item that is not valid]';
  const { type, text, data, mimeType, resource, uri, name } = item as Record<string, unknown>;
  switch (type) {
    case 'text':
      return typeof text === 'string' ? wellFormed(text) : '[a text that is not valid]';
    case 'image':
    case 'audio':
      return `[${[type, label(mimeType), sizeOf(data)].filter(Boolean).join(', ')}]`;
    case 'resource_link':
      return `[${['link to a resource', label(name), label(mimeType), label(uri)].filter(Boolean).join(', ')}]`;
    case 'resource':
      return resourceText(resource);
    default:
      return `[${label(type) || 'an item'} of an unknown type]`;
  }
}

/** The text of a resource is there to be read; of other contents only the size is of use to a model. */
function resourceText(resource: unknown): string {
  if (typeof resource !== 'object' || resource === null) return '[a resource that is not valid]';
  const { uri, mimeType, text, blob } = resource as Record<string, unknown>;
  const size = typeof text === 'string' ? `${Buffer.byteLength(text)} bytes` : sizeOf(blob);
  const head = `[${['resource', label(mimeType), label(uri), size].filter(Boolean).join(', ')}]`;
  return typeof text === 'string' ? `${head}\n${wellFormed(text)}` : head;
}

/** Of base64, without decoding it. */
function sizeOf(data: unknown): string {
  if (typeof data !== 'string') return '';
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return `${Math.max(0, Math.floor((data.length * 3) / 4) - padding)} bytes`;
}

function label(value: unknown): string {
  return typeof value === 'string' ? visibleLine(value, MAX_LABEL) : '';
}
