import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Reports a link to an event that does not exist; only once the whole history is loaded. */
export function NotInRun() {
  const text = useText();
  const { events } = useModel();
  const seq = useView(({ selection }) => (selection?.kind === 'event' ? selection.seq : null));
  const known = useStore(useSession().connection, ({ phase }) => phase !== 'loading' && phase !== 'backfilling');
  if (seq === null || !known || events.length === 0 || seq <= events.length) return null;
  return (
    <p className="events-note small" role="status">
      {text(strings.events.notInRun)(seq, events.length)}
    </p>
  );
}
