import { type SegmentKind, segmentsOf } from '../bytes/raw-segments.ts';
import { applySgr, PLAIN, sgrParameters, type TextStyle } from '../bytes/sgr.ts';

/** Part of a line with one style. */
export interface LogPiece {
  kind: SegmentKind;
  shown: string;
  style: TextStyle;
}

const RETURN = 0x0d;

/**
 * A line of the log as it is shown: in its colours, with every other control sequence displayed instead of executed. What
 * follows a carriage return replaces what was before it, as in a terminal, so that progress bars look right.
 */
export function logPieces(line: Uint8Array): LogPiece[] {
  const pieces: LogPiece[] = [];
  let style = PLAIN;
  for (const { kind, shown } of segmentsOf(lastWriting(line), 0)) {
    const parameters = kind === 'control' ? sgrParameters(shown) : null;
    if (parameters) style = applySgr(style, parameters);
    else if (kind === 'control' && shown === '→') pieces.push({ kind: 'text', shown: '\t', style });
    else pieces.push({ kind, shown, style });
  }
  return pieces;
}

function lastWriting(line: Uint8Array): Uint8Array {
  const end = line.at(-1) === RETURN ? line.length - 1 : line.length;
  return line.subarray(line.lastIndexOf(RETURN, end - 1) + 1, end);
}
