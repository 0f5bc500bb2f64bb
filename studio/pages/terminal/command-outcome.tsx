import type { CommandResult } from '../../../src/protocol/index.ts';
import { duration } from '../../model/times.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { strings } from '../../text/strings.ts';

/** How the last command ended, and how long it took. */
export function CommandOutcome({ result }: { result: CommandResult }) {
  const text = useText();
  const { exit_code, signal, timed_out, duration_ms } = result;
  const isWell = exit_code === 0;
  const how =
    signal !== null
      ? text(strings.dock.endedBy)(signal)
      : exit_code !== null
        ? text(strings.dock.exitCode)(exit_code)
        : timed_out
          ? text(terminalTexts.timedOut)
          : text(terminalTexts.states.terminated);
  return (
    <span className="command-ended" data-well={isWell}>
      <span className="quiet">{text(terminalTexts.lastCommand)}:</span>{' '}
      <span aria-hidden="true">{isWell ? '✓' : '✕'}</span> {how}{' '}
      <span className="quiet bytes">· {duration(duration_ms)}</span>
    </span>
  );
}
