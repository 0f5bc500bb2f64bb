import { type KeyboardEvent, useRef } from 'react';
import type { Tab } from '../../model/view.ts';
import { useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { PANES } from './panes.ts';
import { TabBadge } from './tab-badge.tsx';

/** One pane at a time, chosen by tabs. */
export function Inspector({ tabs }: { tabs: readonly Tab[] }) {
  const text = useText();
  const { view } = useSession();
  const wanted = useView(({ tab }) => tab);
  const shown = tabs.includes(wanted) ? wanted : tabs[0]!;
  const list = useRef<HTMLDivElement>(null);
  const Shown = PANES[shown];

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
    <div className="inspector">
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
            aria-controls="inspector-panel"
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => view.change({ tab })}
          >
            {text(strings.tabs[tab])} <TabBadge tab={tab} />
          </button>
        ))}
      </div>
      <div id="inspector-panel" role="tabpanel" aria-labelledby={`tab-${shown}`} className="inspector-panel">
        <Shown />
      </div>
    </div>
  );
}
