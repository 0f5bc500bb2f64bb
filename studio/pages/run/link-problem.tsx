import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** A link that names an event which is not there. */
export function LinkProblem() {
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
