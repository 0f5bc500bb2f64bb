import './run-header.css';
import { useMedia } from '../../../parts/layout/use-media.ts';
import { useStore } from '../../../state/store.ts';
import { useSession } from '../../../state/use-run.tsx';
import { AttemptChooser } from './attempt-chooser.tsx';
import { ExportMenu } from './export-menu.tsx';
import { HeaderDisc } from './header-disc.tsx';
import { IntegrityBadge } from './integrity-badge.tsx';
import { MoreMenu } from './more-menu.tsx';
import { Behind, Elapsed } from './run-clock.tsx';
import { RunState } from './run-state.tsx';
import { StopButton } from './stop-button.tsx';
import { UsageFigures } from './usage-figures.tsx';
import { useVerification } from './use-verification.ts';

/** What the run is and how it stands, above all panes; with little room the rest is in the menu. */
export function RunHeader({ title }: { title: string }) {
  const { run: store } = useSession();
  const run = useStore(store);
  const isRoomy = useMedia('(min-width: 1100px)');
  const isWide = useMedia('(min-width: 700px)');
  const verification = useVerification();
  return (
    <div className="run-header">
      <div className="run-what">
        <span className="quiet" aria-hidden="true">
          /
        </span>
        {isWide && <HeaderDisc />}
        <h1 title={title}>{title}</h1>
        {run && (
          <span className="run-names quiet">
            {run.engine} · <span className="bytes">{run.handle}</span>
          </span>
        )}
        <RunState />
        <Behind />
      </div>
      <div className="run-figures">
        <AttemptChooser />
        <Elapsed />
        <UsageFigures />
        <div className="run-acts">
          {isRoomy && <IntegrityBadge verification={verification} />}
          {isRoomy && <ExportMenu />}
          <MoreMenu verification={verification} isRoomy={isRoomy} />
          <StopButton />
        </div>
      </div>
    </div>
  );
}
