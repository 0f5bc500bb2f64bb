import { Link } from 'wouter';
import type { TerminalView } from '../../../src/protocol/index.ts';
import { elapsed } from '../../model/elapsed.ts';
import { folderName, hasEnded, targetOfTerminal, titleOfTerminal } from '../../model/terminals/terminal-facts.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import type { RowProps } from '../../parts/layout/use-grid-rows.ts';
import { RecordingLink } from '../../parts/recording-link.tsx';
import { TerminalMark } from '../../parts/terminal-mark.tsx';
import { useLanguage, useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { strings } from '../../text/strings.ts';

interface Props {
  terminal: TerminalView;
  now: number;
  hasTargets: boolean;
  rowProps: RowProps;
}

export function TerminalRow({ terminal, now, hasTargets, rowProps }: Props) {
  const text = useText();
  const { kind, workspace, cols, rows, attached, recording } = terminal;
  const none = text(strings.app.none);
  return (
    <tr {...rowProps} data-ended={hasEnded(terminal)}>
      <td className="terminals-state">
        <TerminalMark terminal={terminal} />
      </td>
      <td className="terminals-terminal">
        <Link href={terminalAddress(terminal)} tabIndex={-1}>
          <bdi>{titleOfTerminal(terminal)}</bdi>
        </Link>
      </td>
      <td className="terminals-kind">{kind}</td>
      <td className="terminals-workspace" title={showUnseen(workspace)}>
        <bdi>{folderName(workspace)}</bdi>
      </td>
      {hasTargets && <td className="terminals-target">{targetOfTerminal(terminal) ?? none}</td>}
      <td className="terminals-size bytes">{cols === null || rows === null ? none : `${cols}×${rows}`}</td>
      <td className="terminals-age bytes">
        <Since at={terminal.created_at} now={now} />
      </td>
      <td className="terminals-active bytes">
        <Since at={terminal.active_at} now={now} isAgo />
      </td>
      <td className="terminals-attached bytes">
        {/* Only a session with a screen can be attached to. */}
        {kind !== 'pty' ? none : attached === 0 ? <span className="quiet">0</span> : attached}
      </td>
      <td className="terminals-recorded">
        {recording === null ? (
          <span className="quiet">{none}</span>
        ) : (
          <RecordingLink recording={recording} terminal={terminal} tabIndex={-1} />
        )}
      </td>
    </tr>
  );
}

export function terminalAddress({ terminal_id }: Pick<TerminalView, 'terminal_id'>): string {
  return `/terminals/${encodeURIComponent(terminal_id)}`;
}

/** Relative time, with the absolute time in the tooltip. */
function Since({ at, now, isAgo = false }: { at: string; now: number; isAgo?: boolean }) {
  const text = useText();
  const language = useLanguage();
  const length = elapsed(now - Date.parse(at));
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(language)}>
      {isAgo ? text(terminalTexts.ago)(length) : length}
    </time>
  );
}
