import { DockPane } from '../../panes/dock/dock-pane.tsx';
import { TimelinePane } from '../../panes/timeline/timeline-pane.tsx';
import { Page } from '../../parts/page.tsx';
import { useMedia } from '../../parts/use-media.ts';
import { ActionsProvider } from '../../state/actions.tsx';
import type { RunSession } from '../../state/run-session.ts';
import { useStore } from '../../state/store.ts';
import { SessionProvider } from '../../state/use-run.tsx';
import { NarrowPanes } from './narrow-panes.tsx';
import { RunHeader } from './run-header.tsx';
import { RunProblem } from './run-problem.tsx';
import { StatusLine } from './status-line.tsx';
import { titleOf } from './title-of.ts';
import { WidePanes } from './wide-panes.tsx';
import './run-studio.css';

/** One run on the screen, from a server or from an archive. */
export function RunStudio({ session }: { session: RunSession }) {
  const run = useStore(session.run);
  const failed = useStore(session.connection, ({ phase }) => phase === 'failed');
  const narrow = useMedia('(max-width: 699px)');
  return (
    <SessionProvider session={session}>
      <ActionsProvider>
        <Page title={titleOf(run)} bar={<RunHeader />}>
          {failed ? (
            <RunProblem />
          ) : (
            <div className="run-studio" aria-busy={run === null}>
              <TimelinePane />
              {narrow ? <NarrowPanes /> : <WidePanes />}
              <DockPane />
              <StatusLine />
            </div>
          )}
        </Page>
      </ActionsProvider>
    </SessionProvider>
  );
}
