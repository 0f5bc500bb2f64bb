import type { Hunk, HunkLine } from './file-patch.ts';
import { joinLines, type LineEnd, splitLines, type TextLine } from './text-lines.ts';

/** Why a hunk could not be applied. */
export interface HunkMismatch {
  /** From 1. */
  hunk: number;
  hunks: number;
  what: string;
  expected: string[];
  /** The lines of the file at the place that fits best, which begins at `line`. */
  actual: string[];
  line: number;
}

export type Applied = { content: string } | { mismatch: HunkMismatch };

/**
 * Applies hunks to a text. Line ends stay as they are: where a patch fits byte by byte its own are used, otherwise an
 * added line ends like the one before it. A missing line end at the end of the file stays missing, unless the patch has
 * a note about it.
 */
export function applyHunks(content: string, hunks: readonly Hunk[]): Applied {
  const lines = splitLines(content);
  const result: TextLine[] = [];
  let done = 0;
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const old = hunk.lines.filter(({ kind }) => kind !== 'new').map(({ text }) => text);
    const place = locate(lines, hunk, old, { from: done, shift });
    if ('what' in place) {
      const { what } = place;
      return { mismatch: { hunk: index + 1, hunks: hunks.length, what, ...compare(lines, hunk, old, done) } };
    }
    if (hunk.at !== null) shift = place.at - (hunk.at - 1);
    for (let at = done; at < place.at; at++) result.push(lines[at]!);
    result.push(...replaced(lines, place, hunk));
    done = place.at + old.length;
  }
  for (let at = done; at < lines.length; at++) result.push(lines[at]!);
  const hasNote = hunks.some((hunk) => hunk.lines.some(({ isUnended }) => isUnended));
  return { content: joinLines(result, { keepsUnended: lines.at(-1)?.end === '' && !hasNote }) };
}

/** Index of the first old line, and whether the patch fits byte by byte; or why there is no such line. */
type Located = { at: number; isExact: boolean } | { what: string };

interface From {
  from: number;
  /** How much further down than stated the last hunk was found. */
  shift: number;
}

function locate(lines: readonly TextLine[], hunk: Hunk, old: readonly string[], { from, shift }: From): Located {
  if (hunk.at !== null) return locateByNumber(lines, hunk, old, { from, near: hunk.at - 1 + shift });
  let start = from;
  for (const anchor of hunk.anchors) {
    const at = lines.findIndex(({ text }, index) => index >= start && text.trim() === anchor.trim());
    if (at < 0) return { what: `there is no line ${JSON.stringify(anchor)} after line ${start}` };
    start = at + 1;
  }
  const isAnchored = hunk.anchors.length > 0;
  if (old.length === 0) return { at: isAnchored ? start : lines.length, isExact: false };
  // An anchor may be repeated as the first of the old lines.
  const { places, isExact } = placesOf(lines, hunk, old, isAnchored ? start - 1 : start);
  if (places.length === 1 || (places.length > 1 && isAnchored)) return { at: places[0]!, isExact };
  if (places.length === 0) return { what: NOT_THERE };
  const numbers = places.slice(0, 5).map((at) => at + 1);
  const where = `${places.length} times (at lines ${numbers.join(', ')})`;
  return { what: `its lines are in the file ${where}; add more context or an @@ line` };
}

/** At the stated line, or as near to it as possible. */
function locateByNumber(
  lines: readonly TextLine[],
  hunk: Hunk,
  old: readonly string[],
  { from, near }: { from: number; near: number },
): Located {
  if (old.length === 0) {
    return near >= from && near <= lines.length ? { at: near, isExact: true } : { what: 'its line is not in the file' };
  }
  const { places, isExact } = placesOf(lines, hunk, old, from);
  const distance = (place: number) => Math.abs(place - near);
  if (places.length === 0) return { what: NOT_THERE };
  return { at: places.reduce((one, other) => (distance(other) < distance(one) ? other : one)), isExact };
}

const NOT_THERE = 'its lines are not in the file';

/** Where the old lines are: byte by byte, else without their ends, else without the spaces before those. */
function placesOf(
  lines: readonly TextLine[],
  hunk: Hunk,
  old: readonly string[],
  from: number,
): { places: number[]; isExact: boolean } {
  const isAtEnd = hunk.isAtEnd || hunk.lines.some(({ kind, isUnended }) => isUnended && kind !== 'new');
  for (const isSame of [isIdentical, hasSameText, hasSameTrimmedText]) {
    const places: number[] = [];
    for (let at = isAtEnd ? lines.length - old.length : from; at + old.length <= lines.length; at++) {
      if (at >= from && old.every((text, index) => isSame(lines[at + index]!, text))) places.push(at);
    }
    if (places.length > 0) return { places, isExact: isSame === isIdentical };
  }
  return { places: [], isExact: false };
}

function isIdentical({ text, end }: TextLine, wanted: string): boolean {
  return (end === '\r\n' ? `${text}\r` : text) === wanted;
}

function hasSameText({ text }: TextLine, wanted: string): boolean {
  return text === withoutReturn(wanted);
}

function hasSameTrimmedText({ text }: TextLine, wanted: string): boolean {
  return text.trimEnd() === wanted.trimEnd();
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** The lines that take the place of the old ones. Context stays as it is in the file. */
function replaced(
  lines: readonly TextLine[],
  { at, isExact }: { at: number; isExact: boolean },
  hunk: Hunk,
): TextLine[] {
  const result: TextLine[] = [];
  let next = at;
  for (const line of hunk.lines) {
    // A line ends like the one it replaces or follows.
    if (line.kind === 'new') result.push(addedLine(line, isExact ? null : (lines[next - 1] ?? lines[next])));
    else if (line.kind === 'context') result.push(lines[next++]!);
    else next++;
  }
  return result;
}

/** `like` is null where the patch itself says how the line ends. */
function addedLine({ text, isUnended = false }: HunkLine, like: TextLine | undefined | null): TextLine {
  if (isUnended) return { text, end: '', isAdded: true };
  const own: LineEnd = text.endsWith('\r') ? '\r\n' : '\n';
  const end = like === null ? own : like?.end === '\r\n' ? '\r\n' : '\n';
  return { text: withoutReturn(text), end, isAdded: true };
}

/** The old lines beside those of the place that has most of them. */
function compare(
  lines: readonly TextLine[],
  hunk: Hunk,
  old: readonly string[],
  from: number,
): Pick<HunkMismatch, 'expected' | 'actual' | 'line'> {
  const score = (at: number) => old.filter((text, index) => lines[at + index]?.text === withoutReturn(text)).length;
  let best = Math.min(Math.max(from, (hunk.at ?? from + 1) - 1), Math.max(0, lines.length - 1));
  let most = score(best);
  for (let at = from; at < lines.length; at++) {
    if (score(at) > most) [best, most] = [at, score(at)];
  }
  const actual = lines.slice(best, best + Math.max(old.length, 1)).map(({ text }) => text);
  return { expected: [...old], actual, line: best + 1 };
}
