import { withoutEscapes } from '../line-pattern.ts';
import type { Piece } from './piece.ts';

/** What a piece says: without terminal controls, and without the returns a terminal puts before line feeds. */
export function textOfPiece({ bytes }: Piece): string {
  return withoutEscapes(bytes.toString('utf8')).replace(/\r+\n/g, '\n');
}
