import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function EventPane() {
  const text = useText();
  return (
    <Pane name="event" title={text(strings.tabs.event)}>
      <p className="notice">…</p>
    </Pane>
  );
}
