import { useAction } from '../../state/actions.tsx';
import { useLayout } from '../../state/layout.tsx';
import { useSession } from '../../state/use-run.tsx';
import { INSPECTED } from './layout/inspected.ts';
import { focusedPane, walkPanes } from './layout/pane-focus.ts';

/** Keys of the page as a whole; those of panes are bound where the panes are. */
export function StudioKeys() {
  const { view } = useSession();
  const layout = useLayout()!;
  // Where something is selected, its evidence is shown there; these open the tabs when nothing is.
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

/** Out of a box that is written into, back to its pane, where keys are keys again. */
function leaveField(): boolean {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement) || !/^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName)) return false;
  field.blur();
  field.closest<HTMLElement>('[data-pane]')?.focus();
  return true;
}
