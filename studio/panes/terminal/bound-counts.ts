import type { Terminal } from '@xterm/xterm';

/** Inserts, deletes and scrolls lines; inserts, deletes and erases characters; moves by tabs. */
const COUNTED = ['L', 'M', 'S', 'T', '@', 'P', 'X', 'I', 'Z'];
/** Prints the last character again, over the end of a line too. */
const REPEATED = 'b';

/** What the terminal is made of: only there can a count be changed before it is used. */
interface Core {
  registerCsiHandler(id: { final: string }, handle: (sequence: { params: Int32Array }) => boolean): void;
}

/**
 * Output may ask for two thousand million lines to be inserted, and the terminal does so one by one while the page stands
 * still. More than there are lines, scrolled ones too, make no difference.
 */
export function boundCounts(terminal: Terminal): void {
  const { _core: core } = terminal as unknown as { _core: Core };
  const bound = (final: string, most: () => number): void =>
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, most());
      return false; // The terminal's own way is next.
    });
  const lines = () => terminal.rows + (terminal.options.scrollback ?? 0);
  for (const final of COUNTED) bound(final, () => Math.max(terminal.cols, lines()));
  bound(REPEATED, () => terminal.cols * lines());
}
