import type { Terminal } from '@xterm/xterm';

/** Sequences that insert, delete and scroll lines; insert, delete and erase characters; move by tabs. */
const COUNTED = ['L', 'M', 'S', 'T', '@', 'P', 'X', 'I', 'Z'];
/** Repeats the last character, across line ends too. */
const REPEATED = 'b';

/** Internals of the terminal: only there can a count be changed before it is used. */
interface Core {
  registerCsiHandler(id: { final: string }, handle: (sequence: { params: Int32Array }) => boolean): void;
}

/**
 * Output may ask to insert two billion lines, and the terminal does so one by one, blocking the page. Counts larger
 * than the number of lines, including the scrollback, make no difference to the result.
 */
export function boundCounts(terminal: Terminal): void {
  const { _core: core } = terminal as unknown as { _core: Core };
  const bound = (final: string, most: () => number): void =>
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, most());
      return false; // The terminal's own handler follows.
    });
  const lines = () => terminal.rows + (terminal.options.scrollback ?? 0);
  for (const final of COUNTED) bound(final, () => Math.max(terminal.cols, lines()));
  bound(REPEATED, () => terminal.cols * lines());
}
