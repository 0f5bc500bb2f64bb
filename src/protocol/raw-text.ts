import * as z from 'zod';

/** How much of longer output its event shows; the rest follows from `raw_ref`. */
export const RAW_PREVIEW_BYTES = 1024;
/** Output of one event; it is cut into blocks that are not longer. */
export const MAX_RAW_BYTES = 64 * 1024;

/** Odd characters in a sample of this share make it something else than text with a few bad bytes. */
const ODD_SHARE = 0.1;
const ODD_CHARACTERS = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f\u007f\ufffd]/g;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** Why the whole text of output is not to be had. */
export const unresolvedSchema = z.enum(['REFERENCE_INVALID', 'OUTPUT_MISSING', 'OUTPUT_DIFFERS', 'REDACTIONS_DIFFER']);
export type Unresolved = z.infer<typeof unresolvedSchema>;

export interface RawText {
  text: string;
  /** The text is the beginning only. */
  truncated?: true;
}

/**
 * Output as text, with U+FFFD for bytes that are not UTF-8. Of a picture or an archive, which would more than double in
 * size and say nothing, only the beginning.
 */
export function rawText(bytes: Uint8Array): RawText {
  try {
    return { text: strict.decode(bytes) };
  } catch {
    const beginning = lenient.decode(bytes.subarray(0, RAW_PREVIEW_BYTES));
    const odd = beginning.match(ODD_CHARACTERS)?.length ?? 0;
    const isText = bytes.length <= RAW_PREVIEW_BYTES || odd <= beginning.length * ODD_SHARE;
    return isText ? { text: lenient.decode(bytes) } : { text: beginning, truncated: true };
  }
}

/** The same, but of long output only the beginning. */
export function rawPreview(bytes: Uint8Array): RawText {
  if (bytes.length <= RAW_PREVIEW_BYTES) return rawText(bytes);
  const length = characterBoundary(bytes, RAW_PREVIEW_BYTES);
  return { text: lenient.decode(bytes.subarray(0, length)), truncated: true };
}

/** The same of text. */
export function textPreview(text: string): RawText {
  if (text.length <= RAW_PREVIEW_BYTES / 3) return { text };
  // A UTF-16 unit takes at least one byte, so what comes later is not in the preview.
  const bytes = encoder.encode(text.slice(0, RAW_PREVIEW_BYTES + 1));
  return bytes.length <= RAW_PREVIEW_BYTES && text.length <= RAW_PREVIEW_BYTES ? { text } : rawPreview(bytes);
}

export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** The largest length that does not cut a UTF-8 character; all of it when the bytes are not UTF-8 there. */
export function characterBoundary(bytes: Uint8Array, length: number): number {
  for (let back = 1; back <= 4 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? length - back : length;
  }
  return length;
}

const OUTPUT = Symbol('output');

/**
 * Remembers the bytes of cut output with the data of its event, where copies do not take them along: the process that
 * records it does not have to read them again from files that the recorded program can reach.
 */
export function keepOutput(data: object, bytes: Uint8Array): void {
  Object.defineProperty(data, OUTPUT, { value: bytes });
}

export function outputOf(data: object): Uint8Array | undefined {
  return (data as { [OUTPUT]?: Uint8Array })[OUTPUT];
}
