import { count } from '../output/format.ts';
import { wrapText } from './flow.ts';
import type { Page } from './page.ts';

const MOST_LINES = 12;

/** What the user wrote, behind a gutter that nothing else has. */
export function showUserMessage(page: Page, text: string): void {
  const { colors, screen } = page;
  const lines = wrapText(text.replaceAll(/^\s*\n|\s+$/g, ''), screen.columns - 2);
  const gutter = colors.bold(colors.cyan('›'));
  const shown = lines.length > MOST_LINES + 1 ? lines.slice(0, MOST_LINES) : lines;
  const rows = shown.map((line) => (line === '' ? gutter : `${gutter} ${colors.bold(line)}`));
  const more = lines.length - shown.length;
  if (more > 0) rows.push(`${gutter} ${colors.dim(`… ${count(more, 'more line')}`)}`);
  page.lines('user', rows);
}
