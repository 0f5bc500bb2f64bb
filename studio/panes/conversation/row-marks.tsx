import type { Row } from '../../model/conversation/conversation-rows.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { RowActions } from './row-actions.ts';

/** Below this confidence a row is marked as uncertain; the same limit as for the parser's warning. */
const SURE = 0.7;

/** Notes about the origin of this row. Diagnostics explain them. */
export function RowMarks({ row, tabbed, actions }: { row: Row; tabbed: boolean; actions: RowActions }) {
  const text = useText();
  const { confidence, hidden, seq } = row;
  if (confidence >= SURE && hidden === null) return null;
  const mark = (about: number, words: string) => (
    <button
      type="button"
      className="plain conversation-mark"
      tabIndex={tabbed ? 0 : -1}
      onClick={() => actions.showDiagnostic(about)}
    >
      <span aria-hidden="true">△</span> {words}
    </button>
  );
  return (
    <span className="conversation-marks">
      {confidence < SURE && mark(seq, text(strings.conversation.lowConfidence)(String(confidence)))}
      {hidden !== null && mark(hidden.seq, text(strings.conversation.hiddenLines)(hidden.lines))}
    </span>
  );
}
