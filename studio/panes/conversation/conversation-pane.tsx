import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function ConversationPane() {
  const text = useText();
  return (
    <Pane name="conversation" title={text(strings.tabs.conversation)}>
      <p className="notice">…</p>
    </Pane>
  );
}
