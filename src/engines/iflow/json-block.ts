import { structuredPayload } from '../structured-payload.ts';

/** JSON followed by prose is searched for in this much of the end of a text, at this many braces. */
const TAIL = 64 * 1024;
const TRIES = 8;
const CLOSING_BRACE = /\}[ \t]*(?=\n|$)/g;

/**
 * The JSON object of an assistant's text: fenced, glued to the end of it, or glued to the end of one of its lines with
 * more prose below.
 */
export function findJsonBlock(text: string): unknown {
  const payload = structuredPayload(text);
  if (payload !== undefined) return payload;
  const tail = text.slice(-TAIL);
  const ends = [...tail.matchAll(CLOSING_BRACE)].slice(-TRIES).reverse();
  for (const { index } of ends) {
    const inner = structuredPayload(tail.slice(0, index + 1));
    if (inner !== undefined) return inner;
  }
  return undefined;
}
