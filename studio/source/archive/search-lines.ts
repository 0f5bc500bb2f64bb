import type { LinesAnswer, SearchAnswer } from '../../../src/client/index.ts';
import { joinBytes, pieces } from './blob-bytes.ts';
import { countLines, lineEnd, lineStart, showLine } from './shown-line.ts';

/** As many as a server gives at once. */
const MOST_MATCHES = 1000;
const LINES_BEFORE = 20;
const LINES_AFTER = 20;

/** Finds a text in a stream, wherever pieces of it were read apart. Matches do not overlap. */
export async function searchBlob(
  blob: Blob,
  { text, from: begin, signal }: { text: string; from: number; signal: AbortSignal | undefined },
): Promise<SearchAnswer> {
  const wanted = new TextEncoder().encode(text);
  const found: number[] = [];
  let next: number | null = null;
  // What a piece ends with may be the beginning of a match.
  let carried = new Uint8Array(0);
  if (wanted.length > 0) {
    for await (const { at, bytes } of pieces(blob, begin)) {
      signal?.throwIfAborted();
      const joined = joinBytes(carried, bytes);
      const joinedAt = at - carried.length;
      let from = 0;
      for (let hit = indexOf(joined, wanted, 0); hit >= 0; hit = indexOf(joined, wanted, from)) {
        found.push(joinedAt + hit);
        from = hit + wanted.length;
        if (found.length === MOST_MATCHES) break;
      }
      if (found.length === MOST_MATCHES) {
        next = joinedAt + from;
        break;
      }
      carried = joined.slice(Math.max(from, joined.length - wanted.length + 1));
    }
  }
  return {
    matches: await withLines(blob, found, wanted.length),
    next_from: next !== null && next < blob.size ? next : null,
    size: blob.size,
  };
}

/** The line a byte is in, with some before and after it. */
export async function linesAround(blob: Blob, around: number): Promise<LinesAnswer> {
  const { size } = blob;
  if (size === 0) return { lines: [], size };
  let from = await lineStart(blob, Math.min(around, size - 1));
  let before = 0;
  while (before < LINES_BEFORE && from > 0) {
    from = await lineStart(blob, from - 1);
    before++;
  }
  let line = 1 + (await countLines(blob, 0, from));
  const lines: LinesAnswer['lines'] = [];
  while (lines.length < before + 1 + LINES_AFTER && from < size) {
    const to = await lineEnd(blob, from);
    lines.push(await showLine(blob, { line: line++, from, to }));
    from = to + 1;
  }
  return { lines, size };
}

/** One walk over the file up to the last match numbers the lines of all of them. */
async function withLines(blob: Blob, found: readonly number[], length: number): Promise<SearchAnswer['matches']> {
  const matches: SearchAnswer['matches'] = [];
  let line = 1;
  let counted = 0;
  let [from, to] = [0, -1];
  for (const at of found) {
    line += await countLines(blob, counted, at);
    counted = at;
    // A line may be as long as the file; its ends are looked for once.
    if (at > to) [from, to] = [await lineStart(blob, at), await lineEnd(blob, at)];
    const shown = await showLine(blob, { line, from, to, around: at });
    matches.push({ byte_from: at, byte_to: at + length, line: shown });
  }
  return matches;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const last = bytes.length - wanted.length;
  for (let at = bytes.indexOf(wanted[0]!, from); at >= 0 && at <= last; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
