import { memo } from 'react';
import { logPieces } from '../../model/terminals/log-pieces.ts';
import type { LogLine } from '../../model/terminals/output-log.ts';
import { pieceStyle } from '../../parts/piece-style.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';

interface Props {
  measure(element: Element | null): void;
  line: LogLine;
  index: number;
  top: number;
}

/** A line with its origin: a word for stderr, a symbol for a command, nothing for stdout. */
export const LogLineView = memo(function LogLineView({ measure, line, index, top }: Props) {
  const text = useText();
  const marks = { stdout: '', stderr: text(terminalTexts.stderr), command: '$', gap: '⋯' };
  return (
    <div
      ref={measure}
      className="log-line"
      data-index={index}
      data-kind={line.kind}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span className="log-mark">{marks[line.kind]}</span>
      <span className="log-text">
        {logPieces(line.bytes).map(({ kind, shown, style }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: only their place distinguishes the pieces.
          <span key={at} className="piece" data-kind={kind} {...pieceStyle(style)}>
            {shown}
          </span>
        ))}
      </span>
    </div>
  );
});
