import type { Tab } from '../../model/view.ts';
import { ConversationPane } from '../../panes/conversation/conversation-pane.tsx';
import { TerminalPane } from '../../panes/terminal/terminal-pane.tsx';
import { Splitter, useKeptSize } from '../../parts/splitter.tsx';
import { useMedia } from '../../parts/use-media.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { Inspector } from './inspector.tsx';

const INSPECTED: readonly Tab[] = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];
const LEAST = 260;

/** Conversation, terminal and inspector side by side; without room the terminal is one of the inspector's tabs. */
export function WidePanes() {
  const text = useText();
  const roomy = useMedia('(min-width: 1100px)');
  const [inspector, setInspector] = useKeptSize('tacho.inspector', 480);
  const [terminal, setTerminal] = useKeptSize('tacho.terminal', 460);
  const width = innerWidth;
  return (
    <div className="wide-panes">
      <div className="wide-first">
        <ConversationPane />
      </div>
      {roomy && (
        <>
          <Splitter
            label={text(strings.run.paneTerminal)}
            size={terminal}
            least={LEAST}
            most={width - inspector - LEAST}
            onSize={setTerminal}
          />
          <div style={{ width: Math.min(terminal, width * 0.4) }}>
            <TerminalPane />
          </div>
        </>
      )}
      <Splitter
        label={text(strings.run.paneInspector)}
        size={inspector}
        least={LEAST}
        most={width - LEAST - (roomy ? terminal : 0)}
        onSize={setInspector}
      />
      <div style={{ width: Math.min(inspector, width * 0.55) }}>
        <Inspector tabs={roomy ? INSPECTED : ['terminal', ...INSPECTED]} />
      </div>
    </div>
  );
}
