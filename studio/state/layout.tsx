import { createContext, type ReactNode, useContext, useState } from 'react';
import { Store } from './store.ts';

/** What can fill the page alone. */
export type Area = 'conversation' | 'terminal' | 'inspector';

interface LayoutState {
  maximized: Area | null;
  inspectorAt: 'right' | 'bottom';
}

const KEY = 'tacho.inspector-at';

/** The arrangement of the panes; the position of the inspector is remembered. */
export class Layout extends Store<LayoutState> {
  constructor() {
    super({ maximized: null, inspectorAt: localStorage.getItem(KEY) === 'bottom' ? 'bottom' : 'right' });
  }

  /** Lets the area around an element fill the page, or restores the others. False if there is none. */
  toggle(element: Element | null): boolean {
    const area = areaAround(element);
    if (this.get().maximized === null && area === null) return false;
    this.update({ maximized: this.get().maximized === null ? area : null });
    return true;
  }

  moveInspector(): void {
    const inspectorAt = this.get().inspectorAt === 'right' ? 'bottom' : 'right';
    localStorage.setItem(KEY, inspectorAt);
    this.update({ inspectorAt });
  }
}

const LayoutContext = createContext<Layout | null>(null);

export function LayoutProvider({ children }: { children: ReactNode }) {
  const [layout] = useState(() => new Layout());
  return <LayoutContext value={layout}>{children}</LayoutContext>;
}

/** Null if a pane is alone, as on the page of approvals. */
export function useLayout(): Layout | null {
  return useContext(LayoutContext);
}

function areaAround(element: Element | null): Area | null {
  const name = element?.closest<HTMLElement>('[data-area]')?.dataset.area;
  return name === 'conversation' || name === 'terminal' || name === 'inspector' ? name : null;
}
