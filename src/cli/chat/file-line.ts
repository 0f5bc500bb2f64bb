import type { FcmpMessage } from '../../protocol/index.ts';
import { columnsOf, cutToColumns } from './columns.ts';
import type { Colors, Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

type Change = FcmpMessage<'artifact.changed'>['data']['change'];

export interface FileLine {
  add(change: FcmpMessage<'artifact.changed'>['data']): void;
  /** Shows the files changed since the last call, if any. */
  show(): void;
}

const SIGNS: Readonly<Record<Change, string>> = { created: '+', modified: '~', deleted: '-' };

/** The files an attempt changed, in one line. */
export function createFileLine(page: Page): FileLine {
  const changes = new Map<string, Change>();

  return {
    add: ({ path, change }) => void changes.set(path, change),
    show() {
      if (changes.size > 0) page.lines('end', [lineOf([...changes], page.colors, page.screen.columns)]);
      changes.clear();
    },
  };
}

function lineOf(changes: readonly (readonly [string, Change])[], colors: Colors, columns: number): string {
  let line = 'files:';
  let painted = colors.dim(line);
  for (const [at, [path, change]] of changes.entries()) {
    const left = changes.length - at;
    // Space for this name and for the count of the names after it.
    const room = columns - columnsOf(line) - 2 - (left > 1 ? ` … ${left - 1} more`.length : 0);
    const name = cutToColumns(sanitizeOneLine(path), Math.max(room, at === 0 ? 1 : 0));
    if (at > 0 && name !== sanitizeOneLine(path)) return `${painted}${colors.dim(` … ${left} more`)}`;
    line += ` ${SIGNS[change]}${name}`;
    painted += ` ${paint(change, colors)(`${SIGNS[change]}${name}`)}`;
  }
  return painted;
}

function paint(change: Change, colors: Colors): (text: string) => string {
  return change === 'created' ? colors.green : change === 'modified' ? colors.yellow : colors.red;
}
