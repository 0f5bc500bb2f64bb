import { cutToColumns } from '../chat/columns.ts';
import { asciiSigns } from '../output/ascii-output.ts';
import { paint } from '../output/paint.ts';
import { canRewrite, showsColors, showsUtf8 } from '../output/terminal-abilities.ts';
import { writeOut } from '../output/write-out.ts';
import type { OwnTerminal } from '../terminal/own-terminal.ts';
import type { BytesStage } from './bytes-film.ts';
import type { ChatStage } from './chat-film.ts';
import type { Screens } from './screens.ts';

/** A smaller terminal has no row to spare for the status. */
const MIN_ROWS = 4;
const SAVE = '\x1b7';
const RESTORE = '\x1b8';

/** Standard output without a keyboard: a pipe, a file, or a terminal without input. */
export const plainStage: BytesStage & ChatStage = {
  get columns() {
    return process.stdout.columns ?? 80;
  },
  rewrites: canRewrite(process.stdout),
  colors: showsColors(process.stdout),
  write: (data: Buffer | string) => (data.length === 0 ? Promise.resolve() : writeOut(process.stdout, data)),
  redraw: (text) => writeOut(process.stdout, text),
  status: async () => {},
  redrawn: null,
  close: async () => {},
};

/** A chat on the user's terminal: it scrolls above the last row, which shows the status. */
export async function openChatStage(own: OwnTerminal): Promise<ChatStage> {
  const { stdout } = process;
  let line = '';
  let shown = '';
  const show = (text: string) => own.show(Buffer.from(text));
  const hasStatus = () => stdout.rows >= MIN_ROWS;
  /** Any output may have erased it. */
  const statusRow = () => (hasStatus() ? `${SAVE}${lastRow(line)}${RESTORE}` : '');
  const region = () => (hasStatus() ? `\x1b[1;${stdout.rows - 1}r` : '\x1b[r');
  // The previous content remains in the scrollback.
  await show(`${'\r\n'.repeat(stdout.rows)}${region()}\x1b[H`);
  return {
    get columns() {
      return stdout.columns;
    },
    rewrites: true,
    colors: showsColors(stdout),
    async write(text) {
      if (text !== '') await show(withReturns(text) + statusRow());
    },
    async redraw(text) {
      const lines = text.split('\n');
      const end = lines.slice(-(stdout.rows - 1));
      await show(`${region()}\x1b[H\x1b[2J${withReturns(end.join('\n'))}${statusRow()}`);
    },
    async status(next) {
      line = next;
      if (statusRow() === shown) return;
      shown = statusRow();
      await show(shown);
    },
    async close() {
      if (hasStatus()) await show(`${SAVE}\x1b[${stdout.rows};1H\x1b[2K${RESTORE}`);
    },
  };
}

/** The bytes of a recording on the user's terminal. */
export function openBytesStage(own: OwnTerminal, screens: Screens, addReturns: (bytes: Buffer) => Buffer): BytesStage {
  return {
    write: (bytes) => own.show(addReturns(bytes), { isPast: true }),
    redrawn: {
      async draw(moments) {
        const screen = await screens.after(moments);
        await own.draw(screen);
      },
      cover: (line) => own.show(Buffer.from(`${SAVE}\x1b[?6l${lastRow(line)}${RESTORE}`), { isPast: true }),
    },
    close: async () => screens.close(),
  };
}

function lastRow(line: string): string {
  const { columns, rows } = process.stdout;
  const text = cutToColumns(` ${line}`, columns - 1).padEnd(columns - 1);
  return `\x1b[${rows};1H\x1b[0m${paint.inverse(text)}\x1b[K`;
}

function withReturns(text: string): string {
  // One column for one: three dots would make a full line too long.
  const shown = showsUtf8() ? text : asciiSigns(text.replaceAll('…', '~'));
  return shown.replaceAll('\n', '\r\n');
}
