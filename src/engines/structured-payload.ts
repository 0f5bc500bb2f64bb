import { fencedBlocks } from './fenced-json.ts';
import { isObject, taken } from './json-value.ts';

/** Longer texts are prose with an accident of braces in them. */
const LONGEST = 256 * 1024;

/** The JSON object an assistant's text holds: all of it, the last fenced block that is one, or one glued to its end. */
export function structuredPayload(text: string): unknown {
  if (text.length > LONGEST || !text.includes('{')) return undefined;
  const whole = objectFrom(text);
  if (whole !== undefined) return whole;
  for (const { inner } of fencedBlocks(text)) {
    const payload = objectFrom(inner);
    if (payload !== undefined) return payload;
  }
  return text.trimEnd().endsWith('}') ? gluedObject(text) : undefined;
}

/** From the last brace back: the first place from which the rest of the text is an object. */
function gluedObject(text: string): unknown {
  let from = text.lastIndexOf('{');
  for (let tries = 0; from >= 0 && tries < 64; tries++) {
    const payload = objectFrom(text.slice(from));
    if (payload !== undefined) return payload;
    from = from === 0 ? -1 : text.lastIndexOf('{', from - 1);
  }
  return undefined;
}

function objectFrom(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    return isObject(value) ? taken(value) : undefined;
  } catch {
    return undefined; // Braces, but no JSON.
  }
}
