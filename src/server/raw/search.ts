import { countLineFeeds, lineEnd, lineStart, type ShownLine, showLine } from './line-at.ts';
import { pieces, type RawFile } from './open-raw.ts';

export interface Search {
  text: string;
  ignoreCase: boolean;
  from: number;
  limit: number;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

export interface SearchAnswer {
  matches: { byte_from: number; byte_to: number; line: ShownLine }[];
  next_from: number | null;
  size: number;
}

/** Finds a text in a stream, wherever pieces of it were read apart. Matches do not overlap. */
export async function searchRaw(file: RawFile, search: Search): Promise<SearchAnswer> {
  const { ignoreCase, limit, signal } = search;
  const wanted = ignoreCase ? lowered(Buffer.from(search.text)) : Buffer.from(search.text);
  const found: number[] = [];
  let next: number | null = null;
  // What a piece ends with may be the beginning of a match.
  let carried = Buffer.alloc(0);
  for await (const { at, bytes } of pieces(file, search.from, file.size)) {
    signal.throwIfAborted();
    const joined = Buffer.concat([carried, ignoreCase ? lowered(bytes) : bytes]);
    const joinedAt = at - carried.length;
    let from = 0;
    for (let hit = joined.indexOf(wanted); hit >= 0; hit = joined.indexOf(wanted, from)) {
      found.push(joinedAt + hit);
      from = hit + wanted.length;
      if (found.length === limit) break;
    }
    if (found.length === limit) {
      next = joinedAt + from;
      break;
    }
    carried = Buffer.from(joined.subarray(Math.max(from, joined.length - wanted.length + 1)));
  }
  return {
    matches: await withLines(file, found, wanted.length),
    next_from: next !== null && next < file.size ? next : null,
    size: file.size,
  };
}

/** One walk over the file up to the last match numbers the lines of all of them. */
async function withLines(file: RawFile, found: readonly number[], length: number): Promise<SearchAnswer['matches']> {
  const matches: SearchAnswer['matches'] = [];
  let line = 1;
  let counted = 0;
  let [from, to] = [0, -1];
  for (const at of found) {
    for await (const { bytes } of pieces(file, counted, at)) line += countLineFeeds(bytes);
    counted = at;
    // A line may be as long as the file; its ends are looked for once.
    if (at > to) [from, to] = [await lineStart(file, at), await lineEnd(file, at)];
    const shown = await showLine(file, { line, from, to, around: at });
    matches.push({ byte_from: at, byte_to: at + length, line: shown });
  }
  return matches;
}

/** A to Z only: other letters have other lengths in other cases. */
function lowered(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = 0; at < copy.length; at++) {
    const byte = copy[at]!;
    if (byte >= 0x41 && byte <= 0x5a) copy[at] = byte + 0x20;
  }
  return copy;
}
