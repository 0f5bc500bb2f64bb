import './terminal-mark.css';
import type { TerminalView } from '../../src/protocol/index.ts';
import { useText } from '../text/language.ts';
import { terminals as terminalTexts } from '../text/sections/terminals.ts';
import { strings } from '../text/strings.ts';

type Look = 'starting' | 'idle' | 'running' | 'well' | 'badly' | 'ended';

const SHAPES: Record<Look, string> = {
  starting: '○',
  idle: '○',
  running: '●',
  well: '✓',
  badly: '✕',
  ended: '■',
};

/** The state of a session as a shape, a colour and a word; for an ended one, with how it ended. */
export function TerminalMark({ terminal }: { terminal: Pick<TerminalView, 'state' | 'end'> }) {
  const text = useText();
  const look = lookOf(terminal);
  const how = howEnded(terminal.end, text);
  return (
    <span className="terminal-mark" data-look={look}>
      <span aria-hidden="true">{SHAPES[look]}</span> {text(terminalTexts.states[terminal.state])}
      {how !== null && `, ${how}`}
    </span>
  );
}

/** `exit code 3`, `ended by SIGKILL`, or the reason if that says more; with `why`, both. */
export function howEnded(
  end: TerminalView['end'],
  text: ReturnType<typeof useText>,
  { why = false }: { why?: boolean } = {},
): string | null {
  if (end === null) return null;
  const { exitCode, endedBy } = strings.dock;
  const reason = text(terminalTexts.reasons[end.reason]);
  const status =
    end.signal !== null ? text(endedBy)(end.signal) : end.exit_code === null ? null : text(exitCode)(end.exit_code);
  if (status === null) return reason;
  if (why) return `${status} · ${reason}`;
  return end.reason === 'exited' || end.reason === 'killed' ? status : reason;
}

function lookOf({ state, end }: Pick<TerminalView, 'state' | 'end'>): Look {
  if (state === 'creating') return 'starting';
  if (state !== 'terminated') return state;
  if (end === null || end.reason === 'destroyed' || end.reason === 'idle' || end.reason === 'life') return 'ended';
  return end.exit_code === 0 ? 'well' : 'badly';
}
