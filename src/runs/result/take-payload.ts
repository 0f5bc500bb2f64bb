import { withoutDoneMarker } from '../../conversation/index.ts';
import { DONE_SIGNAL } from '../../protocol/index.ts';
import { withoutEscapes } from '../completion/done-marker.ts';
import { hasDoneMember, isDoneAlone, withoutDoneMember } from './done-member.ts';
import { findJsonValues, type JsonValue, readJson } from './json-values.ts';

/** The result in a message, without the done marker. */
export interface Payload {
  value: unknown;
  /** False for the text of a message without JSON. */
  isJson: boolean;
}

/** A result is at the end, and not as long. */
const MAX_TEXT = 4 * 1024 * 1024;

/**
 * The result in the assistant's messages, of which the last one is the final one. The last object with the done marker
 * is the result; if it has no other member, the result is the value before it, or the text before it. Without a marker it
 * is the last JSON that stands in a code fence or ends the message, or else the whole text. Null if there is nothing.
 */
export function takePayload(final: string | null, before: string | null = null): Payload | null {
  const text = plain(final ?? '');
  const values = findJsonValues(text);
  const marked = values.findLast(({ value }) => hasDoneMember(value));
  if (marked === undefined) return payloadOf(text, values);
  if (!isDoneAlone(marked.value)) return { value: withoutDoneMember(marked.value), isJson: true };
  const said = text.slice(0, marked.from);
  if (said.trim() === '') return before === null ? null : takeUnmarked(before);
  return takeUnmarked(said);
}

function takeUnmarked(message: string): Payload | null {
  const text = plain(message);
  return payloadOf(text, findJsonValues(text));
}

function payloadOf(text: string, values: readonly JsonValue[]): Payload | null {
  const whole = readJson(text);
  if (whole) return { value: withoutDoneMember(whole.value), isJson: true };
  const last = values.findLast(({ isFenced, to }) => isFenced || text.slice(to).trim() === '');
  if (last && !isDoneAlone(last.value)) return { value: withoutDoneMember(last.value), isJson: true };
  const words = withoutDoneMarker(text).trim();
  return words === '' ? null : { value: words, isJson: false };
}

function plain(message: string): string {
  // Made here: the word is in a module that takes long to load, and most runs have no result.
  const signal = new RegExp(`^[ \\t]*${DONE_SIGNAL}[ \\t].*$`, 'gm');
  return withoutEscapes(message.slice(-MAX_TEXT)).replaceAll('\r\n', '\n').replaceAll(signal, '');
}
