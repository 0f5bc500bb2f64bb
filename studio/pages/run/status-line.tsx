import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Where one is: the last event, the connection. */
export function StatusLine() {
  const text = useText();
  const { phase } = useStore(useSession().connection);
  const { events } = useModel();
  const said: Partial<Record<typeof phase, readonly [string, string]>> = {
    live: strings.run.connected,
    ended: strings.run.complete,
  };
  return (
    <footer className="status-line small quiet">
      <span className="bytes">seq {events.length}</span>
      <span>{said[phase] && text(said[phase])}</span>
    </footer>
  );
}
