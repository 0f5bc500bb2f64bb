/** The element in a pane that handles keys, if there is one. */
const INSIDE = ['slider', 'listbox', 'grid', 'tree'].map((role) => `[role="${role}"][tabindex="0"]`).join(', ');

let last: HTMLElement | null = null;

/** The pane with the focus, or the last one that had it. */
export function focusedPane(): HTMLElement | null {
  const pane = document.activeElement?.closest<HTMLElement>('[data-pane]') ?? null;
  if (pane !== null) last = pane;
  return last?.isConnected ? last : null;
}

export function walkPanes(step: 1 | -1): boolean {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(isSeen);
  if (panes.length === 0) return false;
  const now = panes.indexOf(focusedPane() ?? document.body);
  const next = panes[now < 0 ? (step === 1 ? 0 : panes.length - 1) : (now + step + panes.length) % panes.length]!;
  last = next;
  (next.querySelector<HTMLElement>(INSIDE) ?? next).focus();
  return true;
}

function isSeen(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}
