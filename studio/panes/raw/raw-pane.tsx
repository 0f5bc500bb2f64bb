import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function RawPane() {
  const text = useText();
  return (
    <Pane name="raw" title={text(strings.tabs.raw)}>
      <p className="notice">…</p>
    </Pane>
  );
}
