import { Link } from 'wouter';
import type { TerminalView } from '../../src/protocol/index.ts';
import { hasEnded } from '../model/terminals/terminal-facts.ts';
import { useText } from '../text/language.ts';
import { terminals as terminalTexts } from '../text/sections/terminals.ts';

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
    <Link href={`/runs/${run_id}`} tabIndex={tabIndex} title={text(terminalTexts.showRecording)}>
      {(sealed || !isOver) && <span aria-hidden="true">{sealed ? '✓ ' : '● '}</span>}
      {text(isOver ? terminalTexts.recordingDone : terminalTexts.recording)}
    </Link>
  );
}
