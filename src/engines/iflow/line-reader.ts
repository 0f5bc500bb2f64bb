import type { Drafter } from '../drafter.ts';
import type { Message } from './message.ts';
import { ERROR_HEAD, FATAL_LINE, isNoise, RESUMING_LINE, STACK_FRAME, STACK_TAIL } from './patterns.ts';
import type { Piece } from './piece.ts';
import { textOfPiece } from './text-of-piece.ts';

/** More lines than this do not introduce an error. */
const LONGEST_PREAMBLE = 4;
const FENCE = '```';

export interface LineSurface {
  draft: Drafter;
  message: Message;
  /** Bytes that say nothing of their own. */
  keep(piece: Piece): void;
  /** The same for lines of a log, which may report an error. */
  keepNoise(piece: Piece): void;
}

/** Tells prose from what else stands between the lines of one stream. */
export function createLineReader({ draft, message, keep, keepNoise }: LineSurface): (piece: Piece) => void {
  let fenced = false;
  let inStack = false;

  return (piece) => {
    const line = textOfPiece(piece).trimEnd();
    if (!message.begun) fenced = false;
    if (fenced) prose(piece, line);
    else if (line === '') blank(piece);
    else if (RESUMING_LINE.test(line)) resuming(piece, line);
    else if (isNoise(line, piece.unit.stream)) noise(piece, line);
    else if (inStack && STACK_TAIL.test(line)) keepNoise(piece);
    else prose(piece, line);
  };

  function prose(piece: Piece, line: string): void {
    inStack = false;
    if (line.includes(FENCE) && line.split(FENCE).length % 2 === 0) fenced = !fenced;
    message.add(piece);
  }

  /** Inside of a message it is a part of it; before one it is nothing. */
  function blank(piece: Piece): void {
    inStack = false;
    if (message.begun) message.add(piece);
    else keep(piece);
  }

  function resuming(piece: Piece, line: string): void {
    inStack = false;
    message.close();
    const session = RESUMING_LINE.exec(line)?.[1];
    if (session) draft.openSession(session, 'resuming_session', piece.unit);
    else draft.phase('resuming_session', piece.unit);
  }

  function noise(piece: Piece, line: string): void {
    const fatal = FATAL_LINE.test(line);
    const frame = STACK_FRAME.test(line);
    const before = fatal ? takePreamble() : frame && !inStack ? message.takeBack((head) => ERROR_HEAD.test(head)) : [];
    message.close();
    for (const one of before) keepNoise(one);
    keepNoise(piece);
    inStack = fatal || frame;
  }

  /** Output of an engine that cannot start, printed before its reason, is not a message; a printed result is one. */
  function takePreamble(): Piece[] {
    const mayBePreamble = !message.said && message.waitingLines <= LONGEST_PREAMBLE;
    return message.takeBack((line) => ERROR_HEAD.test(line) || (mayBePreamble && !line.includes('{')));
  }
}
