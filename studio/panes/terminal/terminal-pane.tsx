import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function TerminalPane() {
  const text = useText();
  return (
    <Pane name="terminal" title={text(strings.tabs.terminal)}>
      <p className="notice">…</p>
    </Pane>
  );
}
