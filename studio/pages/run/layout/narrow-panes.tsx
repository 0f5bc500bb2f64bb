import { useEffect } from 'react';
import type { Tab } from '../../../model/view.ts';
import { DockPane } from '../../../panes/dock/dock-pane.tsx';
import { useSession } from '../../../state/use-run.tsx';
import { TabList, TabPanel } from './tabs.tsx';
import { useVisibleHeight } from './use-visible-height.ts';

const TABS: readonly Tab[] = ['conversation', 'terminal', 'events', 'event', 'raw', 'graph', 'files', 'diagnostics'];

/** One pane at a time, chosen at the bottom. The dock stays above the tabs, and both above a keyboard on the screen. */
export function NarrowPanes() {
  const { view } = useSession();
  useVisibleHeight();
  useEffect(() => {
    // Where there is but one pane, and the link is to nothing in another, it is the one that people read.
    const given = new URLSearchParams(location.search);
    const isNamed = ['tab', 'raw', 'file'].some((name) => given.has(name));
    if (!isNamed) view.change({ tab: 'conversation' }, 'replace');
  }, [view]);
  return (
    <div className="narrow-panes">
      <TabPanel tabs={TABS} />
      <DockPane />
      <TabList tabs={TABS} />
    </div>
  );
}
