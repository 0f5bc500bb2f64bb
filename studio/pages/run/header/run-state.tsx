import { isWaiting } from '../../../../src/record/index.ts';
import { grouped } from '../../../model/run-figures.ts';
import { clock } from '../../../model/times.ts';
import { StatusMark } from '../../../parts/status-mark.tsx';
import { useStore } from '../../../state/store.ts';
import { useModel, useSession } from '../../../state/use-run.tsx';
import { useLanguage, useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';

/** The state of the run. It is live only while it runs and all of its past is loaded. */
export function RunState() {
  const text = useText();
  const { connection: store } = useSession();
  const connection = useStore(store);
  const { status, events } = useModel();
  switch (connection.phase) {
    case 'loading':
      return <span className="quiet">{text(strings.app.loading)}</span>;
    case 'backfilling':
      return (
        <span className="quiet">
          {text(strings.run.loadingEvents)(grouped(events.length), grouped(connection.head))}
        </span>
      );
    case 'reconnecting':
      return (
        <span className="run-lost" title={connection.message}>
          <span aria-hidden="true">⟳</span> {text(strings.run.reconnecting)(events.length)}
        </span>
      );
    case 'failed':
      return null;
    case 'live':
    case 'ended':
      if (isWaiting(status)) return <Waiting />;
      return status === 'running' && connection.phase === 'live' ? <Live /> : <StatusMark status={status} />;
  }
}

function Live() {
  const text = useText();
  return (
    <span className="run-live">
      <span aria-hidden="true">●</span> {text(strings.status.live)}
    </span>
  );
}

function Waiting() {
  const text = useText();
  const language = useLanguage();
  const { status, waits, start } = useModel();
  const since = waits.at(-1)?.from;
  return (
    <span>
      <StatusMark status={status} />
      {since !== undefined && start !== null && (
        <span className="quiet" title={new Date(since).toLocaleString(language)}>
          , {text(strings.run.waitingSince)(clock(since - start))}
        </span>
      )}
    </span>
  );
}
