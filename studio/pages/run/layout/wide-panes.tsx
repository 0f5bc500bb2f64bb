import type { Tab } from '../../../model/view.ts';
import { ConversationPane } from '../../../panes/conversation/conversation-pane.tsx';
import { TerminalPane } from '../../../panes/terminal/terminal-pane.tsx';
import { Splitter, useKeptSize } from '../../../parts/layout/splitter.tsx';
import { useMedia } from '../../../parts/layout/use-media.ts';
import { useLayout } from '../../../state/layout.tsx';
import { useStore } from '../../../state/store.ts';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import { INSPECTED, useTabs } from './inspected.ts';
import { TabList, TabPanel } from './tabs.tsx';

const MIN_WIDTH = 260;
const WITH_TERMINAL: readonly Tab[] = ['terminal', ...INSPECTED];

/** Conversation, terminal and inspector side by side; without enough room the terminal is a tab of the inspector. */
export function WidePanes() {
  const text = useText();
  const { maximized, inspectorAt } = useStore(useLayout()!);
  const hasTerminal = useMedia('(min-width: 1100px)');
  const tabs = useTabs(hasTerminal ? INSPECTED : WITH_TERMINAL);
  const isBelow = inspectorAt === 'bottom';
  const [width, setWidth] = useKeptSize('tacho.inspector', Math.round(innerWidth / (hasTerminal ? 3 : 2)));
  const [height, setHeight] = useKeptSize('tacho.inspector-height', Math.round(innerHeight / 3));
  const [terminal, setTerminal] = useKeptSize('tacho.terminal', Math.round(innerWidth / 3));
  return (
    <div className="wide-panes" data-inspector={inspectorAt} data-maximized={maximized ?? undefined}>
      <div className="wide-main">
        <div className="area wide-first" data-area="conversation">
          <ConversationPane />
        </div>
        {hasTerminal && (
          <>
            <Splitter
              label={text(strings.run.paneTerminal)}
              size={terminal}
              least={MIN_WIDTH}
              most={innerWidth - MIN_WIDTH - (isBelow ? 0 : width)}
              onSize={setTerminal}
            />
            <div className="area" data-area="terminal" style={{ flexBasis: terminal }}>
              <TerminalPane />
            </div>
          </>
        )}
      </div>
      <Splitter
        axis={isBelow ? 'y' : 'x'}
        label={text(strings.run.paneInspector)}
        size={isBelow ? height : width}
        least={isBelow ? 120 : MIN_WIDTH}
        most={isBelow ? innerHeight * 0.6 : innerWidth - MIN_WIDTH - (hasTerminal ? terminal : 0)}
        onSize={isBelow ? setHeight : setWidth}
      />
      <div className="area" data-area="inspector" style={{ flexBasis: isBelow ? height : width }}>
        <Inspector tabs={tabs} />
      </div>
    </div>
  );
}

/** One pane at a time, chosen by tabs; on the right or at the bottom. */
function Inspector({ tabs }: { tabs: readonly Tab[] }) {
  return (
    <div className="inspector">
      <TabList tabs={tabs} tools={<MoveInspector />} />
      <TabPanel tabs={tabs} />
    </div>
  );
}

function MoveInspector() {
  const text = useText();
  const layout = useLayout()!;
  const isRight = useStore(layout, ({ inspectorAt }) => inspectorAt === 'right');
  const words = text(isRight ? strings.run.dockBottom : strings.run.dockRight);
  return (
    <button type="button" className="plain" aria-label={words} title={words} onClick={() => layout.moveInspector()}>
      <span aria-hidden="true">{isRight ? '⬓' : '◨'}</span>
    </button>
  );
}
