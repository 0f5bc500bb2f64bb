import headless from '@xterm/headless';
import { drawScreen, type Screen, screenOf } from '../terminal/index.ts';

/** The screen of a terminal, kept without showing it. */
export function openScreen({ cols, rows }: { cols: number; rows: number }): Screen {
  return screenOf(new headless.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true }), drawScreen);
}
