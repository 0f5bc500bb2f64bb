import { isEvent, type RaspEvent } from '../../../../src/protocol/index.ts';
import { eventAt } from '../../../../src/record/index.ts';
import type { Tab } from '../../../model/view.ts';
import { useModel } from '../../../state/use-run.tsx';

/** How much there is behind a tab. */
export function TabBadge({ tab }: { tab: Tab }) {
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
  const told = isEvent(event, 'diagnostic.engine.error') || isEvent(event, 'diagnostic.runtime.warning');
  return told && event.data.severity === 'error';
}
