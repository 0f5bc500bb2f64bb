import { type ScreenMoment, screenText } from '../../../src/record/screen/screen-text.ts';
import { openTerminal } from '../../../src/runtime/open-terminal.ts';

const MS = 1000;

export const on = (side: 'a' | 'b', content: string | Uint8Array, atMs = 0): ScreenMoment => ({
  kind: 'output',
  side,
  time: atMs * MS,
  bytes: Buffer.from(content as string),
});

export const resize = (cols: number, rows: number, atMs: number): ScreenMoment => ({
  kind: 'resize',
  time: atMs * MS,
  cols,
  rows,
});

/** The text of a small terminal, on which these bytes came at these times. */
export function textOf(moments: Iterable<ScreenMoment>, size = { cols: 20, rows: 5 }): string {
  const pieces = screenText(moments, { ...size, bareLineFeeds: true, open: openTerminal });
  return [...pieces].map(({ text }) => text).join('');
}
