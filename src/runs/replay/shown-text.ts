import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, openRegularFile, readAt } from '../../files/index.ts';
import { attemptFileNames } from '../../protocol/index.ts';
import { usesScreen } from '../../record/screen/uses-screen.ts';
import { type OpenTerminal, ptyHeaderBytes, type RunFolder, recordedText } from '../../recording/index.ts';
import { maskedPlayback } from './masked-playback.ts';

/** Full-screen programs address the screen in their first bytes. */
const SEEN_BYTES = 64 * 1024;

/** Whether an attempt was that of a full-screen program. */
export function hasScreen({ audit }: RunFolder, attempt: number): boolean {
  const { pty, chunks } = attemptFileNames(attempt);
  const file = path.join(audit, pty);
  if (!isRegularFile(file) || !isRegularFile(path.join(audit, chunks))) return false;
  const fd = openRegularFile(file);
  try {
    return usesScreen(readAt(fd, ptyHeaderBytes(file), SEEN_BYTES));
  } finally {
    fs.closeSync(fd);
  }
}

/** What the terminal of an attempt showed, without the secrets that were masked during recording. */
export function shownText(folder: RunFolder, attempt: number, open: OpenTerminal): ReturnType<typeof recordedText> {
  return recordedText(folder, attempt, open, maskedPlayback(folder, attempt));
}
