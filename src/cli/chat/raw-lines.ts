import type { FcmpMessage } from '../../protocol/index.ts';
import { count } from '../output/format.ts';
import { cutToColumns } from './columns.ts';
import type { OpenBlock, Page } from './page.ts';
import { sanitizeLine } from './sanitize.ts';

export interface RawLines {
  show(message: FcmpMessage<'raw.stdout' | 'raw.stderr'>): void;
}

const MAX_LINES = 8;

/** Output outside of the conversation: the first lines, and the number of further ones. */
export function createRawLines(page: Page): RawLines {
  let shown = 0;
  let more = 0;
  let handle = '';
  const block: OpenBlock = {
    live: () => (more > 0 ? [moreLine()] : []),
    close() {
      if (more > 0) page.screen.line(moreLine());
    },
  };

  function moreLine(): string {
    const line = `│ … ${count(more, 'more line')} (tacho raw ${handle})`;
    return page.colors.dim(cutToColumns(line, page.screen.columns - 1));
  }

  function print(text: string, isError: boolean): void {
    const { colors, screen } = page;
    const bar = isError ? colors.dim(colors.yellow('│')) : colors.dim('│');
    screen.line(`${bar} ${colors.dim(cutToColumns(text, screen.columns - 2))}`);
  }

  return {
    show({ type, data, run_id }) {
      for (const line of data.text.split('\n')) {
        const text = sanitizeLine(lastWritten(line)).trimEnd();
        // Terminal resets and the like leave at most control pictures, which carry no information.
        if (/^[\s\u2400-\u241f]*$/.test(text)) continue;
        if (page.current !== block) {
          page.open('work', block);
          shown = 0;
          more = 0;
          handle = run_id.slice(-8);
        }
        if (shown < MAX_LINES) {
          shown++;
          print(text, type === 'raw.stderr');
        } else {
          more++;
        }
      }
    },
  };
}

/** When a program returned to the start of the line, only the last text counts. */
function lastWritten(line: string): string {
  return line.trimEnd().split('\r').at(-1)!;
}
