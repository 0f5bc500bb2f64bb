import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function DiagnosticsPane() {
  const text = useText();
  return (
    <Pane name="diagnostics" title={text(strings.tabs.diagnostics)}>
      <p className="notice">…</p>
    </Pane>
  );
}
