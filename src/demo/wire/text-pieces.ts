/** Shorter than a done marker, so that each one is cut apart, as real models do. */
const PIECE_LENGTH = 12;
const MOST_PIECES = 200;

/** A text as a model streams it: in pieces that respect nothing but characters. */
export function textPieces(text: string): string[] {
  const characters = Array.from(text);
  const length = Math.max(PIECE_LENGTH, Math.ceil(characters.length / MOST_PIECES));
  const pieces: string[] = [];
  for (let from = 0; from < characters.length; from += length) {
    pieces.push(characters.slice(from, from + length).join(''));
  }
  return pieces;
}
