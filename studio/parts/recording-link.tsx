import { Link } from 'wouter';
import type { TerminalView } from '../../src/protocol/index.ts';
import { hasEnded } from '../model/terminals/terminal-facts.ts';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

interface Props {
  recording: NonNullable<TerminalView['recording']>;
  terminal: Pick<TerminalView, 'state'>;
  tabIndex?: number;
}

/** A link to the run that records a session. The mark for a complete record appears only when it is sealed. */
export function RecordingLink({ recording: { run_id, sealed }, terminal, tabIndex }: Props) {
  const text = useText();
  const isOver = sealed || hasEnded(terminal);
  return (
    <Link href={`/runs/${run_id}`} tabIndex={tabIndex} title={text(strings.terminals.showRecording)}>
      {(sealed || !isOver) && <span aria-hidden="true">{sealed ? '✓ ' : '● '}</span>}
      {text(isOver ? strings.terminals.recordingDone : strings.terminals.recording)}
    </Link>
  );
}
