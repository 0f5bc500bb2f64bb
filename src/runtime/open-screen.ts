import headless from '@xterm/headless';
import { drawScreen, type OpenScreen, refuseLargeScreen, screenOf } from '../terminal/index.ts';

/** The screen of a terminal, without a display. */
export const openScreen: OpenScreen = (size) => screenOf(openEmulator(size), drawScreen);

export function openEmulator({ cols, rows, bareLineFeeds }: Parameters<OpenScreen>[0]): headless.Terminal {
  refuseLargeScreen({ cols, rows });
  const options = { cols, rows, convertEol: bareLineFeeds, scrollback: 0, allowProposedApi: true };
  const terminal = new headless.Terminal({ ...options, windowOptions: { getWinSizeChars: true } });
  boundCounts(terminal);
  return terminal;
}

/** Sequences that insert, delete and scroll lines; insert, delete and erase characters; move by tabs. */
const COUNTED = ['L', 'M', 'S', 'T', '@', 'P', 'X', 'I', 'Z'];
/** Repeats the last character, across line ends too. */
const REPEATED = 'b';

/** Internals of the emulator: only there can a count be changed before it is used. */
interface Core {
  registerCsiHandler(id: { final: string }, handle: (sequence: { params: Int32Array }) => boolean): void;
}

/**
 * A program may ask to insert two billion lines, and the emulator does so one by one, blocking everything else. Counts
 * larger than the screen make no difference to the result.
 */
function boundCounts(terminal: headless.Terminal): void {
  const { _core: core } = terminal as unknown as { _core: Core };
  const bound = (final: string, most: () => number): void =>
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, most());
      return false; // The emulator's own handler follows.
    });
  for (const final of COUNTED) bound(final, () => Math.max(terminal.cols, terminal.rows));
  bound(REPEATED, () => terminal.cols * terminal.rows);
}
