import './run-header.css';
import { isTerminal } from '../../../../src/record/index.ts';
import { costOf, dollars, grouped, shortCount, tokensOf } from '../../../model/run-figures.ts';
import { SureButton } from '../../../parts/controls/sure-button.tsx';
import { useMedia } from '../../../parts/layout/use-media.ts';
import { Recovered, Source } from '../../../parts/seal-notes.tsx';
import { useClient } from '../../../state/client.tsx';
import { useStore } from '../../../state/store.ts';
import { useModel, useSession } from '../../../state/use-run.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import { AttemptChooser } from './attempt-chooser.tsx';
import { ExportMenu } from './export-menu.tsx';
import { HeaderDisc } from './header-disc.tsx';
import { IntegrityBadge } from './integrity-badge.tsx';
import { MoreMenu } from './more-menu.tsx';
import { Behind, Elapsed } from './run-clock.tsx';
import { RunState } from './run-state.tsx';
import { useVerification } from './use-verification.ts';

const STOP_WORDS = { idle: strings.run.stop, asking: strings.run.stopAgain, acting: strings.run.stopping };

/** Title and state of the run, above all panes; if space is limited, the rest is in the menu. */
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
        <Recovered attempts={run?.recovered} />
        <Source source={run?.source} />
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

/** Stops the run with a second press. */
function StopButton() {
  const client = useClient();
  const { source, run } = useSession();
  const id = useStore(run, (known) => known?.run_id);
  const { status } = useModel();
  if (isTerminal(status) || id === undefined) return null;
  const isReadOnly = source.kind === 'archive' || client === null;
  return (
    <SureButton
      words={STOP_WORDS}
      act={async () => await client?.cancel(id)}
      disabled={isReadOnly ? strings.run.readOnly : null}
    />
  );
}

/** The usage that the engine reports; a dash for what it does not report. */
function UsageFigures() {
  const text = useText();
  const { usage } = useModel();
  const [tokens, cost] = [tokensOf(usage), costOf(usage)];
  const none = text(strings.app.none);
  const exact = tokens === null ? '' : ` (${grouped(tokens)})`;
  return (
    <span className="run-usage" title={`${text(strings.run.usage)}${exact}`}>
      {text(strings.run.tokens)(tokens === null ? none : shortCount(tokens))} ·{' '}
      <span className="bytes">{cost === null ? none : dollars(cost)}</span>
    </span>
  );
}
