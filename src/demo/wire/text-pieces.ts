/** Shorter than a done marker, so that every marker is split, as with real models. */
const PIECE_LENGTH = 12;
const MAX_PIECES = 200;

/** A text as a model streams it: in pieces that split only between characters. */
export function textPieces(text: string): string[] {
  const characters = Array.from(text);
  const length = Math.max(PIECE_LENGTH, Math.ceil(characters.length / MAX_PIECES));
  const pieces: string[] = [];
  for (let from = 0; from < characters.length; from += length) {
    pieces.push(characters.slice(from, from + length).join(''));
  }
  return pieces;
}
