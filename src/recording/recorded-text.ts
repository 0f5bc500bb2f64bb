import path from 'node:path';
import { isRegularFile } from '../files/index.ts';
import { attemptFileNames } from '../protocol/index.ts';
import { type OpenTerminal, screenText, type TimedText } from '../record/screen/screen-text.ts';
import { type Moment, playback, readPtyHeader } from './playback.ts';
import type { RunFolder } from './run-folder.ts';

const DEFAULT_SIZE = { cols: 80, rows: 24 };

/** What the terminal of an attempt showed, as text without control sequences. */
export function recordedText(
  folder: RunFolder,
  attempt: number,
  open: OpenTerminal,
  moments: Iterable<Moment> = playback(folder, attempt),
): Generator<TimedText> {
  const { cols, rows } = readPtyHeader(folder, attempt) ?? DEFAULT_SIZE;
  return screenText(moments, { cols, rows, bareLineFeeds: hasBareLineFeeds(folder, attempt), open });
}

/** With two terminals output processing was off; with one, the terminal itself added carriage returns. */
export function hasBareLineFeeds({ audit }: RunFolder, attempt: number): boolean {
  return isRegularFile(path.join(audit, attemptFileNames(attempt).stdout));
}
