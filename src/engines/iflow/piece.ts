import type { Unit } from '../unit.ts';

/** Bytes and where they stand. */
export interface Piece {
  bytes: Buffer;
  unit: Unit;
}

export function slicePiece({ bytes, unit }: Piece, from: number, to = bytes.length): Piece {
  return { bytes: bytes.subarray(from, to), unit: { ...unit, from: unit.from + from, to: unit.from + to } };
}

/** Pieces that touch, as one; as old as the last of them. */
export function joinPieces(pieces: readonly Piece[]): Piece {
  const [first] = pieces;
  if (pieces.length === 1) return first!;
  return { bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)), unit: joinUnits(pieces) };
}

export function joinUnits(pieces: readonly Pick<Piece, 'unit'>[]): Unit {
  const { stream, from } = pieces[0]!.unit;
  const { to, time } = pieces.at(-1)!.unit;
  return { stream, from, to, time };
}
