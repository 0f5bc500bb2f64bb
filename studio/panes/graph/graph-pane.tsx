import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function GraphPane() {
  const text = useText();
  return (
    <Pane name="graph" title={text(strings.tabs.graph)}>
      <p className="notice">…</p>
    </Pane>
  );
}
