import './terminal-header.css';
import type { TerminalView } from '../../../src/protocol/index.ts';
import { folderName, hasEnded, targetOfTerminal } from '../../model/terminals/terminal-facts.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { SureButton } from '../../parts/controls/sure-button.tsx';
import { RecordingLink } from '../../parts/recording-link.tsx';
import { TerminalMark } from '../../parts/terminal-mark.tsx';
import { useStore } from '../../state/store.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { useIsLive } from './use-is-live.ts';

const KILL = { idle: terminalTexts.kill, asking: terminalTexts.killAgain, acting: terminalTexts.killing };

/** Title and state of the session, and the button that ends it. */
export function TerminalHeader({ session, title }: { session: TerminalSession; title: string }) {
  const text = useText();
  const terminal = useStore(session.terminal);
  const isLive = useIsLive(session);
  const phase = useStore(session.connection, (connection) => connection.phase);
  return (
    <div className="terminal-header">
      <div className="terminal-what">
        <span className="quiet" aria-hidden="true">
          /
        </span>
        <h1 title={title}>
          <bdi>{title}</bdi>
        </h1>
        {phase === 'reconnecting' ? (
          <span className="problem">
            <span aria-hidden="true">⟳</span> {text(terminalTexts.reconnecting)}
          </span>
        ) : (
          // The state of an unreachable session is unknown.
          terminal && phase !== 'failed' && <TerminalMark terminal={terminal} />
        )}
      </div>
      {terminal && <Facts terminal={terminal} />}
      {isLive && (
        <div className="terminal-acts">
          <SureButton words={KILL} act={() => session.kill()} />
        </div>
      )}
    </div>
  );
}

function Facts({ terminal }: { terminal: TerminalView }) {
  const text = useText();
  const { kind, workspace, cols, rows, attached, recording } = terminal;
  const target = targetOfTerminal(terminal);
  return (
    <ul className="terminal-facts">
      <li>{kind}</li>
      <li title={showUnseen(workspace)}>
        <bdi>{folderName(workspace)}</bdi>
      </li>
      {target !== null && <li>{target}</li>}
      {cols !== null && rows !== null && (
        <li className="bytes">
          {cols}×{rows}
        </li>
      )}
      {kind === 'pty' && !hasEnded(terminal) && <li>{text(terminalTexts.attachedCount)(attached)}</li>}
      <li>
        {recording === null ? (
          text(terminalTexts.notRecorded)
        ) : (
          <RecordingLink recording={recording} terminal={terminal} />
        )}
      </li>
    </ul>
  );
}
