import './run-studio.css';
import { TachoError } from '../../../src/protocol/index.ts';
import { firstRequest, titleOf } from '../../model/run-title.ts';
import { DockPane } from '../../panes/dock/dock-pane.tsx';
import { EvidenceKeys } from '../../panes/event/evidence-keys.tsx';
import { TimelinePane } from '../../panes/timeline/timeline-pane.tsx';
import { Page } from '../../parts/layout/page.tsx';
import { useMedia } from '../../parts/layout/use-media.ts';
import { ActionsProvider } from '../../state/actions.tsx';
import { LayoutProvider } from '../../state/layout.tsx';
import type { RunSession } from '../../state/run-session.ts';
import { useStore } from '../../state/store.ts';
import { SessionProvider, useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { Announcer } from './announcer.tsx';
import { GoToDialog } from './go-to-dialog.tsx';
import { RunHeader } from './header/run-header.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { NarrowPanes } from './layout/narrow-panes.tsx';
import { WidePanes } from './layout/wide-panes.tsx';
import { StatusLine } from './status-line.tsx';
import { StudioKeys } from './studio-keys.tsx';
import { useOpening } from './use-opening.ts';

/** One run on the screen, from a server or from an archive. */
export function RunStudio({ session }: { session: RunSession }) {
  const title = useTitle(session);
  const isLoading = useStore(session.run, (run) => run === null);
  const isFailed = useStore(session.connection, ({ phase }) => phase === 'failed');
  const isNarrow = useMedia('(max-width: 699px)');
  useOpening(session);
  return (
    <SessionProvider session={session}>
      <ActionsProvider>
        <LayoutProvider>
          <Page title={title} bar={<RunHeader title={title} />}>
            {isFailed ? (
              <RunProblem />
            ) : (
              <div className="run-studio" aria-busy={isLoading}>
                <NewerNotice />
                <LinkProblem />
                <TimelinePane />
                {isNarrow ? (
                  <NarrowPanes />
                ) : (
                  <>
                    <WidePanes />
                    <DockPane />
                    <StatusLine />
                  </>
                )}
              </div>
            )}
          </Page>
          <StudioKeys />
          {/* After the keys of the page: handlers registered later have priority. */}
          <EvidenceKeys />
          <GoToDialog />
          <HelpDialog />
          <Announcer />
        </LayoutProvider>
      </ActionsProvider>
    </SessionProvider>
  );
}

/** The title of the run; renders again only when it changes. */
function useTitle(session: RunSession): string {
  const run = useStore(session.run);
  // A run without a prompt has no request in its messages.
  const isAsked = run !== null && run.prompt !== null;
  return useStore(session.version, () => titleOf(run, isAsked ? firstRequest(session.model.messages) : null));
}

/** Reports that the record has a newer format and is shown as far as possible. */
function NewerNotice() {
  const text = useText();
  const format = useStore(useSession().run, (run) => run?.newer_format ?? null);
  if (format === null) return null;
  return (
    <p className="run-notice" role="status">
      {text(strings.run.newerFormat)(format)}
    </p>
  );
}

/** Why a run cannot be shown, and what to do. */
function RunProblem() {
  const text = useText();
  const connection = useStore(useSession().connection);
  if (connection.phase !== 'failed') return null;
  const { error } = connection;
  return (
    <div className="notice" role="alert">
      <strong>{text(strings.app.failedToLoad)(error.message)}</strong>
      {error instanceof TachoError && error.fix}
    </div>
  );
}

/** Reports that the link names an event that the run does not have. */
function LinkProblem() {
  const text = useText();
  const session = useSession();
  const selection = useView((view) => view.selection);
  const phase = useStore(session.connection, (connection) => connection.phase);
  const { events } = useModel();
  const isKnown = phase === 'live' || phase === 'ended';
  if (!isKnown || selection?.kind !== 'event' || selection.seq <= events.length) return null;
  return (
    <p className="run-notice" role="alert">
      {text(strings.run.notInRun)(selection.seq, events.length)}{' '}
      <button type="button" onClick={() => session.view.change({ selection: null })}>
        {text(strings.app.clear)}
      </button>
    </p>
  );
}
