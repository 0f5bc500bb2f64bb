import type { SearchAnswer } from '../protocol/index.ts';
import { joinBytes, pieces } from './file-pieces.ts';
import type { RecordFile } from './record-files.ts';
import { countLines, lineEnd, lineStart, showLine } from './shown-line.ts';

export interface Search {
  text: string;
  ignoreCase?: boolean;
  from: number;
  limit: number;
  /** Aborts when the client has disconnected. */
  signal?: AbortSignal | undefined;
  /** Node has a faster byte search. */
  indexOf?: (bytes: Uint8Array, wanted: Uint8Array, from: number) => number;
}

/** Finds a text in a stream, even across read boundaries. Matches do not overlap. */
export async function searchFile(file: RecordFile, search: Search): Promise<SearchAnswer> {
  const { ignoreCase = false, limit, signal } = search;
  const text = new TextEncoder().encode(search.text);
  const wanted = ignoreCase ? lowered(text) : text;
  const indexOf = search.indexOf ?? finderOf(wanted);
  const found: number[] = [];
  let next: number | null = null;
  // The end of a piece may be the beginning of a match.
  let carried: Uint8Array = new Uint8Array(0);
  for await (const { at, bytes } of wanted.length === 0 ? [] : pieces(file, search.from)) {
    signal?.throwIfAborted();
    const read = ignoreCase ? lowered(bytes) : bytes;
    const joined = carried.length === 0 ? read : joinBytes([carried, read]);
    const joinedAt = at - carried.length;
    let from = 0;
    for (let hit = indexOf(joined, wanted, 0); hit >= 0; hit = indexOf(joined, wanted, from)) {
      found.push(joinedAt + hit);
      from = hit + wanted.length;
      if (found.length === limit) break;
    }
    if (found.length === limit) {
      next = joinedAt + from;
      break;
    }
    carried = joined.slice(Math.max(from, joined.length - wanted.length + 1));
  }
  return {
    matches: await withLines(file, found, wanted.length),
    next_from: next !== null && next < file.size ? next : null,
    size: file.size,
  };
}

/** One pass over the file up to the last match determines the line numbers of all. */
async function withLines(file: RecordFile, found: readonly number[], length: number): Promise<SearchAnswer['matches']> {
  const matches: SearchAnswer['matches'] = [];
  let line = 1;
  let counted = 0;
  let [from, to] = [0, -1];
  for (const at of found) {
    line += await countLines(file, counted, at);
    counted = at;
    // A line may be as long as the file, so its ends are searched only once.
    if (at > to) [from, to] = [await lineStart(file, at), await lineEnd(file, at)];
    const shown = await showLine(file, { line, from, to, around: at });
    matches.push({ byte_from: at, byte_to: at + length, line: shown });
  }
  return matches;
}

/** Boyer–Moore–Horspool: compares the last byte first, and skips as far as that byte allows. */
function finderOf(wanted: Uint8Array): (bytes: Uint8Array, wanted: Uint8Array, from: number) => number {
  const { length } = wanted;
  const skips = new Uint32Array(256).fill(length);
  for (let at = 0; at < length - 1; at++) skips[wanted[at]!] = length - 1 - at;
  return (bytes, _wanted, from) => {
    for (let at = from + length - 1; at < bytes.length; at += skips[bytes[at]!]!) {
      let same = 0;
      while (same < length && bytes[at - same] === wanted[length - 1 - same]) same++;
      if (same === length) return at - length + 1;
    }
    return -1;
  };
}

/** Only A to Z: other letters may change their length with their case. */
function lowered(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  for (let at = 0; at < copy.length; at++) {
    const byte = copy[at]!;
    if (byte >= 0x41 && byte <= 0x5a) copy[at] = byte + 0x20;
  }
  return copy;
}
