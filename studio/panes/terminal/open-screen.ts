import { theme } from '../../state/theme.ts';
import type { XtermScreen } from './xterm-screen.ts';

/** Mounts a terminal with the colours and the size of its place, until the signal aborts. */
export async function openScreen<S extends XtermScreen>(
  screen: S,
  parent: HTMLElement,
  signal: AbortSignal,
): Promise<S> {
  await screen.open(parent);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const recolour = () => screen.setTheme();
  dark.addEventListener('change', recolour, { signal });
  const unwatchTheme = theme.subscribe(recolour);
  const sizes = new ResizeObserver(() => screen.fit());
  sizes.observe(parent);
  const close = () => {
    unwatchTheme();
    sizes.disconnect();
    screen.close();
  };
  if (signal.aborted) close();
  else signal.addEventListener('abort', close);
  return screen;
}
