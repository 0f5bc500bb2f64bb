import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function EventsPane() {
  const text = useText();
  return (
    <Pane name="events" title={text(strings.tabs.events)}>
      <p className="notice">…</p>
    </Pane>
  );
}
