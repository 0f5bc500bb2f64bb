import { INFO_CLOSING, INFO_OPENING } from '../execution-info.ts';
import { withoutEscapes } from '../line-pattern.ts';
import { joinPieces, type Piece, slicePiece } from './piece.ts';

const OPENING = Buffer.from(INFO_OPENING);
const CLOSING = Buffer.from(INFO_CLOSING);
/** A block that is longer is none. */
const LONGEST_BLOCK = 64 * 1024;
/** How far behind a tag the brace is looked for. */
const NEAR = 64;

export interface Found {
  text(piece: Piece): void;
  /** A block with its tags and the end of its last line; not closed when its end never came. */
  info(piece: Piece, closed: boolean): void;
}

export interface InfoFinder {
  line(piece: Piece): void;
  /** Nothing more will come: a block that is open stays so. */
  end(): void;
}

/**
 * Finds blocks of execution info in the lines of one stream, wherever they stand: also behind text on the same line,
 * and with text behind them. A tag is the beginning of a block only if a brace follows, so an assistant may speak of it.
 */
export function createInfoFinder(found: Found): InfoFinder {
  /** From the opening tag on; empty outside of a block. */
  let block: Piece[] = [];
  let blockBytes = 0;
  let hasBrace = false;
  /** Text stands before the block on its line; then the end of the line is that of the text. */
  let glued = false;

  function outside(piece: Piece): Piece | null {
    const at = openingIn(piece.bytes);
    if (at < 0) {
      found.text(piece);
      return null;
    }
    if (at > 0) found.text(slicePiece(piece, 0, at));
    glued = at > 0;
    return slicePiece(piece, at);
  }

  function inside(piece: Piece): Piece | null {
    const end = piece.bytes.indexOf(CLOSING);
    const to = end < 0 ? piece.bytes.length : endOfBlock(piece.bytes, end + CLOSING.length);
    if (block.length === 0) {
      hasBrace = firstCharacter(piece.bytes.subarray(OPENING.length)) === '{';
    } else if (!hasBrace) {
      const next = firstCharacter(piece.bytes);
      if (next !== '' && next !== '{') {
        giveAsText();
        return piece;
      }
      hasBrace = next === '{';
    }
    block.push(slicePiece(piece, 0, to));
    blockBytes += to;
    if (end >= 0) give(true);
    else if (blockBytes > LONGEST_BLOCK) give(false);
    return to < piece.bytes.length ? slicePiece(piece, to) : null;
  }

  function endOfBlock(bytes: Buffer, from: number): number {
    return glued ? from : lineEndAfter(bytes, from);
  }

  function give(closed: boolean): void {
    const whole = joinPieces(block);
    block = [];
    blockBytes = 0;
    found.info(whole, closed);
  }

  function giveAsText(): void {
    const pieces = block;
    block = [];
    blockBytes = 0;
    for (const piece of pieces) found.text(piece);
  }

  return {
    line(piece) {
      let left: Piece | null = piece;
      while (left) {
        if (block.length === 0) left = outside(left);
        if (left) left = inside(left);
      }
    },
    end() {
      if (block.length === 0) return;
      if (hasBrace) give(false);
      else giveAsText();
    },
  };
}

/** Where a tag stands that a brace follows, or nothing on its line; -1 if nowhere. */
function openingIn(bytes: Buffer): number {
  for (let at = bytes.indexOf(OPENING); at >= 0; at = bytes.indexOf(OPENING, at + OPENING.length)) {
    const next = firstCharacter(bytes.subarray(at + OPENING.length));
    if (next === '' || next === '{') return at;
  }
  return -1;
}

/** The first character that is neither blank nor a terminal control; empty if there is none nearby. */
function firstCharacter(bytes: Buffer): string {
  return withoutEscapes(bytes.toString('utf8', 0, NEAR))
    .trimStart()
    .charAt(0);
}

/** Behind the end of the line, if nothing else comes before it. */
function lineEndAfter(bytes: Buffer, from: number): number {
  const blank = /^(?:\u001b\[[0-9;]*m|[ \t\r])*\n/.exec(bytes.toString('latin1', from, from + NEAR));
  return blank ? from + blank[0].length : from;
}
