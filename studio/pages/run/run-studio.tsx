import './run-studio.css';
import { DockPane } from '../../panes/dock/dock-pane.tsx';
import { EvidenceKeys } from '../../panes/event/evidence-keys.tsx';
import { TimelinePane } from '../../panes/timeline/timeline-pane.tsx';
import { Page } from '../../parts/layout/page.tsx';
import { useMedia } from '../../parts/layout/use-media.ts';
import { ActionsProvider } from '../../state/actions.tsx';
import { LayoutProvider } from '../../state/layout.tsx';
import type { RunSession } from '../../state/run-session.ts';
import { useStore } from '../../state/store.ts';
import { SessionProvider } from '../../state/use-run.tsx';
import { Announcer } from './announcer.tsx';
import { GoToDialog } from './go-to-dialog.tsx';
import { RunHeader } from './header/run-header.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { NarrowPanes } from './layout/narrow-panes.tsx';
import { WidePanes } from './layout/wide-panes.tsx';
import { LinkProblem } from './link-problem.tsx';
import { NewerNotice } from './newer-notice.tsx';
import { RunProblem } from './run-problem.tsx';
import { StatusLine } from './status-line.tsx';
import { StudioKeys } from './studio-keys.tsx';
import { useOpening } from './use-opening.ts';
import { useTitle } from './use-title.ts';

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
          {/* After the keys of the page: who registers later is asked first. */}
          <EvidenceKeys />
          <GoToDialog />
          <HelpDialog />
          <Announcer />
        </LayoutProvider>
      </ActionsProvider>
    </SessionProvider>
  );
}
