import type { Tab } from '../../../model/view.ts';
import { useLayout } from '../../../state/layout.tsx';
import { useStore } from '../../../state/store.ts';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import { TabList, TabPanel } from './tabs.tsx';

/** One pane at a time, chosen by tabs; it stands at the right or at the bottom. */
export function Inspector({ tabs }: { tabs: readonly Tab[] }) {
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
