import type { Row } from '../../model/conversation/conversation-rows.ts';
import { duration } from '../../model/times.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const { toolRunning, toolCompleted, toolFailed, toolUnfinished } = strings.conversation;
const STATES = {
  started: { shape: '●', words: toolRunning },
  completed: { shape: '✓', words: toolCompleted },
  failed: { shape: '✕', words: toolFailed },
  unfinished: { shape: '◌', words: toolUnfinished },
} as const;

/** State of a tool call, and its duration if known. */
export function ToolState({ row }: { row: Row<'tool'> }) {
  const text = useText();
  const { shape, words } = STATES[row.state];
  return (
    <span className="conversation-state" data-state={row.state}>
      {row.duration !== null && <span className="bytes quiet">{duration(row.duration)}</span>}
      <span>
        <span aria-hidden="true">{shape}</span>{' '}
        <span className={row.state === 'completed' ? 'heard' : ''}>{text(words)}</span>
      </span>
    </span>
  );
}
