import headless from '@xterm/headless';
import { drawScreen, type OpenScreen, refuseLargeScreen, screenOf } from '../terminal/index.ts';

/** The screen of a terminal, kept without showing it. */
export const openScreen: OpenScreen = (size) => screenOf(openEmulator(size), drawScreen);

export function openEmulator({ cols, rows, bareLineFeeds }: Parameters<OpenScreen>[0]): headless.Terminal {
  refuseLargeScreen({ cols, rows });
  const options = { cols, rows, convertEol: bareLineFeeds, scrollback: 0, allowProposedApi: true };
  const terminal = new headless.Terminal({ ...options, windowOptions: { getWinSizeChars: true } });
  boundCounts(terminal);
  return terminal;
}

/** Inserts, deletes and scrolls lines; inserts, deletes and erases characters; moves by tabs. */
const COUNTED = ['L', 'M', 'S', 'T', '@', 'P', 'X', 'I', 'Z'];
/** Prints the last character again, over the end of a line too. */
const REPEATED = 'b';

/** What the emulator is made of: only there can a count be changed before it is used. */
interface Core {
  registerCsiHandler(id: { final: string }, handle: (sequence: { params: Int32Array }) => boolean): void;
}

/**
 * A program may ask for two thousand million lines to be inserted, and the emulator does so one by one while nothing else
 * happens. More than the screen has make no difference to it.
 */
function boundCounts(terminal: headless.Terminal): void {
  const { _core: core } = terminal as unknown as { _core: Core };
  const bound = (final: string, most: () => number): void =>
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, most());
      return false; // The emulator's own way is next.
    });
  for (const final of COUNTED) bound(final, () => Math.max(terminal.cols, terminal.rows));
  bound(REPEATED, () => terminal.cols * terminal.rows);
}
