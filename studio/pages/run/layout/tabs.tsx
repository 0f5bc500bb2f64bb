import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { isEvent, type RaspEvent } from '../../../../src/protocol/index.ts';
import { eventAt } from '../../../../src/record/index.ts';
import type { Tab } from '../../../model/view.ts';
import { Later } from '../../../parts/later.tsx';
import { useModel, useSession, useView } from '../../../state/use-run.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import { PANES } from './panes.ts';

function useShownTab(tabs: readonly Tab[]): Tab {
  const wanted = useView(({ tab }) => tab);
  return tabs.includes(wanted) ? wanted : tabs[0]!;
}

/** One tab for each pane; arrow keys move between them. `tools` are at the end. */
export function TabList({ tabs, tools }: { tabs: readonly Tab[]; tools?: ReactNode }) {
  const text = useText();
  const { view } = useSession();
  const shown = useShownTab(tabs);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    // If there are more tabs than fit, scroll to the chosen one.
    list.current?.querySelector(`[data-tab="${shown}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown]);

  function walk(event: KeyboardEvent) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length]!;
    view.change({ tab: next }, 'replace');
    list.current?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  }

  return (
    <div className="tab-bar">
      <div className="tabs" role="tablist" aria-label={text(strings.run.paneInspector)} ref={list} onKeyDown={walk}>
        {tabs.map((tab) => (
          <button
            key={tab}
            id={`tab-${tab}`}
            data-tab={tab}
            type="button"
            role="tab"
            className="plain"
            aria-selected={tab === shown}
            aria-controls="tab-panel"
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => view.change({ tab })}
          >
            {text(strings.tabs[tab])} <TabBadge tab={tab} />
          </button>
        ))}
      </div>
      {tools}
    </div>
  );
}

/** The pane of the chosen tab. */
export function TabPanel({ tabs }: { tabs: readonly Tab[] }) {
  const shown = useShownTab(tabs);
  const Shown = PANES[shown];
  return (
    <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${shown}`} className="tab-panel">
      <Later key={shown}>
        <Shown />
      </Later>
    </div>
  );
}

/** The number of items in a tab. */
function TabBadge({ tab }: { tab: Tab }) {
  const model = useModel();
  if (tab === 'events') return <span className="tab-badge bytes">{model.events.length}</span>;
  if (tab !== 'diagnostics' || model.diagnostics.length === 0) return null;
  const hasErrors = model.diagnostics.some((seq) => isErrorEvent(eventAt(model, seq)));
  return (
    <span className="tab-badge bytes" data-error={hasErrors}>
      ▲{model.diagnostics.length}
    </span>
  );
}

function isErrorEvent(event: RaspEvent | undefined): boolean {
  if (event === undefined) return false;
  const isDiagnostic = isEvent(event, 'diagnostic.engine.error') || isEvent(event, 'diagnostic.runtime.warning');
  return isDiagnostic && event.data.severity === 'error';
}
