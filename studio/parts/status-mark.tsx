import './status-mark.css';
import type { RunStatus } from '../../src/protocol/index.ts';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

const SHAPES: Record<RunStatus, string> = {
  queued: '○',
  running: '●',
  waiting_user: '◐',
  waiting_approval: '◆',
  succeeded: '✓',
  failed: '✕',
  canceled: '■',
};

/** A state as a shape, a colour and a word. */
export function StatusMark({ status }: { status: RunStatus }) {
  const text = useText();
  return (
    <span className="status-mark" data-status={status}>
      <span aria-hidden="true">{SHAPES[status]}</span> {text(strings.status[status])}
    </span>
  );
}
