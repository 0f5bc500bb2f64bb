import { useAction } from '../../state/actions.tsx';
import { useLayout } from '../../state/layout.tsx';
import { useSession } from '../../state/use-run.tsx';
import { INSPECTED } from './layout/inspected.ts';
import { focusedPane, walkPanes } from './layout/pane-focus.ts';

/** Keys of the whole page; keys of panes are bound in the panes. */
export function StudioKeys() {
  const { view } = useSession();
  const layout = useLayout()!;
  // With a selection, its evidence is shown; without one, these open the tabs.
  useAction('raw', () => view.change({ tab: 'raw' }));
  useAction('event', () => view.change({ tab: 'event' }));
  useAction('graph', () => view.change({ tab: 'graph' }));
  useAction('tab', (key) => {
    const tab = INSPECTED[Number(key.at(-1)) - 1];
    if (tab === undefined) return false;
    view.change({ tab });
    return true;
  });
  useAction('next-pane', () => walkPanes(1));
  useAction('previous-pane', () => walkPanes(-1));
  useAction('maximize', () => layout.toggle(document.activeElement) || layout.toggle(focusedPane()));
  useAction('escape', () => {
    if (leaveField()) return true;
    if (layout.get().maximized !== null) layout.update({ maximized: null });
    else if (view.get().selection !== null) view.change({ selection: null });
    else return false;
    return true;
  });
  return null;
}

/** Leaves a text field and returns the focus to its pane, where keys are shortcuts again. */
function leaveField(): boolean {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement) || !/^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName)) return false;
  field.blur();
  field.closest<HTMLElement>('[data-pane]')?.focus();
  return true;
}
