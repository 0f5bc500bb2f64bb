import type { Piece } from './raw-lines.ts';
import type { ByteSpan } from './raw-ranges.ts';
import { byteLength } from './raw-segments.ts';

/** `range`: the selected bytes. `match`: found by a search. `cut`: a character of which only some bytes are marked. */
export type Mark = 'range' | 'match' | 'cut';

export interface MarkedSpan extends ByteSpan {
  mark: 'range' | 'match';
}

export interface MarkedPiece extends Piece {
  mark: Mark | null;
}

/** Splits pieces so that exactly the bytes of the spans are marked. If two marks overlap, the first one wins. */
export function markPieces(pieces: readonly Piece[], spans: readonly MarkedSpan[]): MarkedPiece[] {
  const marked: MarkedPiece[] = [];
  for (const piece of pieces) {
    const touching = spans.filter(({ from, to }) => from < piece.to && to > piece.from);
    const edges = touching.flatMap(({ from, to }) => [from, to]);
    for (const part of cutAt(piece, edges)) marked.push({ ...part, mark: markOf(part, touching) });
  }
  return marked;
}

function markOf(part: ByteSpan, spans: readonly MarkedSpan[]): Mark | null {
  const span = spans.find(({ from, to }) => from < part.to && to > part.from);
  if (!span) return null;
  return span.from <= part.from && span.to >= part.to ? span.mark : 'cut';
}

/** Splits a piece at byte positions; a character that contains one becomes a separate piece. */
function cutAt(piece: Piece, edges: readonly number[]): Piece[] {
  const inside = [...new Set(edges)].filter((edge) => edge > piece.from && edge < piece.to);
  if (inside.length === 0 || piece.shown === '' || piece.kind === 'invalid' || piece.kind === 'invisible')
    return [piece];
  const cuts = new Set<number>();
  if (piece.kind === 'control') for (const edge of inside) cuts.add(edge - piece.from);
  else for (const edge of inside) for (const cut of characterAround(piece, edge)) cuts.add(cut);
  const parts: Piece[] = [];
  let [at, from] = [0, piece.from];
  for (const cut of [...cuts, piece.shown.length].sort((one, other) => one - other)) {
    if (cut === at) continue;
    const shown = piece.shown.slice(at, cut);
    const to = from + (piece.kind === 'control' ? shown.length : byteLength(shown));
    parts.push({ ...piece, shown, from, to });
    [at, from] = [cut, to];
  }
  return parts;
}

/** Where the text is split for a byte: at one index between characters, or on both sides of a character. */
function characterAround({ shown, from }: Piece, byte: number): number[] {
  let [at, position] = [0, from];
  for (const character of shown) {
    if (position === byte) return [at];
    const end = position + byteLength(character);
    if (end > byte) return [at, at + character.length];
    [at, position] = [at + character.length, end];
  }
  return [at];
}

/** The byte at an index of a piece's shown text; a character shown by its name counts as a whole. */
export function byteAt({ kind, from, to }: Omit<Piece, 'shown' | 'style'>, shown: string, at: number): number {
  if (kind === 'text') return from + byteLength(shown.slice(0, at));
  if (kind === 'control') return Math.min(to, from + at);
  return at === 0 ? from : to;
}
