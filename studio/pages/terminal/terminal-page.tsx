import './terminal-page.css';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { TachoError } from '../../../src/protocol/index.ts';
import type { Action } from '../../keyboard.ts';
import { titleOfTerminal } from '../../model/terminals/terminal-facts.ts';
import { Page } from '../../parts/layout/page.tsx';
import { ActionsProvider } from '../../state/actions.tsx';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { strings } from '../../text/strings.ts';
import { HelpDialog } from '../run/help-dialog.tsx';
import { useVisibleHeight } from '../run/layout/use-visible-height.ts';
import { LogPane } from './log-pane.tsx';
import { PtyPane } from './pty-pane.tsx';
import { TerminalAnnouncer } from './terminal-announcer.tsx';
import { TerminalHeader } from './terminal-header.tsx';
import { TerminalStatus } from './terminal-status.tsx';

const HOME = { href: '/terminals', name: strings.app.terminals };
const PTY_KEYS: readonly Action[] = ['type', 'stop-typing', 'search', 'next-match', 'previous-match', 'help', 'escape'];
const LOG_KEYS: readonly Action[] = ['first', 'last', 'help', 'escape'];

/** One session of the terminal runtime. */
export function TerminalPage({ id }: { id: string }) {
  const client = useClient()!;
  const [session, setSession] = useState<TerminalSession | null>(null);
  useEffect(() => {
    const opened = new TerminalSession(client, id);
    void opened.start();
    setSession(opened);
    return () => opened.close();
  }, [client, id]);
  return session && <Content session={session} />;
}

function Content({ session }: { session: TerminalSession }) {
  const text = useText();
  const terminal = useStore(session.terminal);
  const isFailed = useStore(session.connection, ({ phase }) => phase === 'failed');
  useVisibleHeight();
  const title = terminal === null ? text(strings.tabs.terminal) : titleOfTerminal(terminal);
  return (
    <ActionsProvider>
      <Page title={title} home={HOME} bar={<TerminalHeader session={session} title={title} />}>
        {terminal === null && !isFailed && <p className="notice">{text(strings.app.loading)}</p>}
        {isFailed && <TerminalProblem session={session} />}
        {terminal !== null && (
          <>
            <div className="terminal-body">
              {terminal.kind === 'pty' ? <PtyPane session={session} /> : <LogPane session={session} />}
            </div>
            <TerminalStatus session={session} />
          </>
        )}
      </Page>
      <HelpDialog only={terminal?.kind === 'pty' ? PTY_KEYS : LOG_KEYS} />
      <TerminalAnnouncer session={session} />
    </ActionsProvider>
  );
}

/** Why a session cannot be shown, or no longer, and what to do. */
function TerminalProblem({ session }: { session: TerminalSession }) {
  const text = useText();
  const connection = useStore(session.connection);
  if (connection.phase !== 'failed') return null;
  const { error } = connection;
  const isGone = error instanceof TachoError && /NOT_FOUND$/.test(error.code);
  return (
    <div className="notice" role="alert">
      <strong>{isGone ? text(terminalTexts.gone) : text(strings.app.failedToLoad)(error.message)}</strong>
      {!isGone && error instanceof TachoError && error.fix} <Link href="/terminals">{text(terminalTexts.toList)}</Link>{' '}
      {!isGone && (
        <button type="button" onClick={() => location.reload()}>
          {text(strings.app.retry)}
        </button>
      )}
    </div>
  );
}
