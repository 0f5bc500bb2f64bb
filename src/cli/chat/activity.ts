import { formatDuration } from '../output/format.ts';
import { cutToColumns } from './columns.ts';
import type { Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** A progress line while nothing else is shown. */
export function activityLine(page: Page, engine: string, sinceMs: number, nowMs: number): string {
  const frame = FRAMES[Math.floor(nowMs / FRAME_MS) % FRAMES.length] ?? FRAMES[0]!;
  const line = `${frame} ${sanitizeOneLine(engine)} is working${elapsed(sinceMs, nowMs)}`;
  return page.colors.dim(cutToColumns(line, page.screen.columns - 1));
}

/** Time so far, in whole seconds starting with 1. Tenths would only flicker. */
export function elapsed(sinceMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - sinceMs) / 1000);
  return seconds >= 1 ? `  ${formatDuration(seconds * 1000).replace('.0 s', ' s')}` : '';
}
