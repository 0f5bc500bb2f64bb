import { useEffect } from 'react';
import type { Tab } from '../../../model/view.ts';
import { DockPane } from '../../../panes/dock/dock-pane.tsx';
import { useSession } from '../../../state/use-run.tsx';
import { useTabs } from './inspected.ts';
import { TabList, TabPanel } from './tabs.tsx';
import { useVisibleHeight } from './use-visible-height.ts';

const TABS: readonly Tab[] = ['conversation', 'terminal', 'events', 'event', 'raw', 'graph', 'files', 'diagnostics'];

/** One pane at a time, chosen at the bottom. The dock is above the tabs, and both are above an on-screen keyboard. */
export function NarrowPanes() {
  const { view } = useSession();
  const tabs = useTabs(TABS);
  useVisibleHeight();
  useEffect(() => {
    // With a single pane, and without a link to another one, show the conversation.
    const given = new URLSearchParams(location.search);
    const isNamed = ['tab', 'raw', 'file'].some((name) => given.has(name));
    if (!isNamed) view.change({ tab: 'conversation' }, 'replace');
  }, [view]);
  return (
    <div className="narrow-panes">
      <TabPanel tabs={tabs} />
      <DockPane />
      <TabList tabs={tabs} />
    </div>
  );
}
