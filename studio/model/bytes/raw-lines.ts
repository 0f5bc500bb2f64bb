import type { ByteSpan } from './raw-ranges.ts';
import { byteLength, endsLine, type Segment, segmentsOf } from './raw-segments.ts';
import { applySgr, PLAIN, sgrParameters, type TextStyle } from './sgr.ts';

export interface Piece extends Segment {
  style: TextStyle | null;
}

/** One line on the screen: a line of the stream, or a part of a long one. The rows of a window tile it. */
export interface RawRow extends ByteSpan {
  pieces: readonly Piece[];
  /** Line feeds in the window before this row. */
  line: number;
  startsLine: boolean;
}

export interface LayoutOptions {
  /** Position of the first byte in its stream. */
  base: number;
  /** Maximum characters of a row, at least 16; a wide one counts twice. */
  columns: number;
  /** Displays colours instead of the control sequences that set them. */
  colours: boolean;
  /** Whether the window begins at the start of a line. */
  startsLine: boolean;
}

export function layoutRows(bytes: Uint8Array, { base, columns, colours, startsLine }: LayoutOptions): RawRow[] {
  const rows: RawRow[] = [];
  let pieces: Piece[] = [];
  let room = columns;
  let from = base;
  let line = 0;
  let starts = startsLine;
  let style = PLAIN;

  function endRow(to: number): void {
    if (pieces.length === 0) return;
    rows.push({ from, to, pieces, line, startsLine: starts });
    pieces = [];
    room = columns;
    from = to;
    starts = false;
  }

  for (const segment of segmentsOf(bytes, base)) {
    const parameters = colours && segment.kind === 'control' ? sgrParameters(segment.shown) : null;
    if (parameters) style = applySgr(style, parameters);
    const { kind, from: start, to: end } = segment;
    const shown = parameters ? '' : segment.shown;
    let rest: Piece | null = { kind, from: start, to: end, shown, style: colours ? style : null };
    while (rest) {
      const fitting: Fit = fitInto(rest, room);
      if (fitting.piece) {
        pieces.push(fitting.piece);
        room -= fitting.width;
      }
      rest = fitting.rest;
      if (rest) endRow(rest.from);
    }
    if (endsLine(segment)) {
      endRow(segment.to);
      line++;
      starts = true;
    }
  }
  endRow(base + bytes.length);
  return rows;
}

/** Rows of `perRow` bytes that begin at multiples of it. */
export function hexRows({ from, to }: ByteSpan, perRow: number): ByteSpan[] {
  const rows: ByteSpan[] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(to, (Math.floor(at / perRow) + 1) * perRow);
    rows.push({ from: at, to: end });
    at = end;
  }
  return rows;
}

/** The row that contains a byte: the last one that begins at or before it. */
export function rowAt(rows: readonly ByteSpan[], byte: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]!.from <= byte) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

type Fit = { piece: Piece | null; width: number; rest: Piece | null };

/** As much of a piece as fits. An indivisible piece moves to the next row. */
function fitInto(piece: Piece, room: number): Fit {
  const { kind, shown } = piece;
  // One byte per character, so no text has to be measured.
  const simple = kind !== 'text' || isAscii(piece);
  const { cut, width } = simple ? { cut: Math.min(room, shown.length), width: shown.length } : within(shown, room);
  if (cut === shown.length) return { piece, width, rest: null };
  if (cut === 0 || kind === 'invalid' || kind === 'invisible') return { piece: null, width: 0, rest: piece };
  const at = piece.from + (simple ? cut : byteLength(shown.slice(0, cut)));
  return {
    piece: { ...piece, to: at, shown: shown.slice(0, cut) },
    width: room,
    rest: { ...piece, from: at, shown: shown.slice(cut) },
  };
}

function isAscii({ from, to, shown }: Piece): boolean {
  return to - from === shown.length;
}

/** How much of a text fits. Combining marks also take space: a row of nothing else would never end. */
function within(text: string, room: number): { cut: number; width: number } {
  let width = 0;
  let cut = 0;
  for (const character of text) {
    const more = isWide(character.codePointAt(0)!) ? 2 : 1;
    if (width + more > room) break;
    width += more;
    cut += character.length;
  }
  return { cut, width };
}

function isWide(code: number): boolean {
  if (code < 0x1100) return false;
  return (
    code <= 0x115f ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
