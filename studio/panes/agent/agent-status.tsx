import type { AgentStatus } from '../../../src/protocol/index.ts';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';

const SHAPES: Record<AgentStatus, string> = {
  new: '○',
  running: '●',
  waiting: '◐',
  completed: '✓',
  failed: '✕',
  cancelled: '■',
  closed: '□',
  interrupted: '▲',
};

/** The state of an agent as a shape, a colour and a word. */
export function AgentStatusMark({ status }: { status: AgentStatus }) {
  const text = useText();
  return (
    <span className="agent-status" data-status={status}>
      <span aria-hidden="true">{SHAPES[status]}</span> {text(words.status[status])}
    </span>
  );
}
