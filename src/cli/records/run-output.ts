import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, openRegularFile, readAt } from '../../files/index.ts';
import { attemptFileNames } from '../../protocol/index.ts';
import { hasConversation } from '../../protocol/run/has-conversation.ts';
import { findRun, ptyHeaderBytes, type RunFolder, readShownRecord } from '../../recording/index.ts';
import type { LogsOptions } from '../commands/service.ts';
import { openContext } from '../context.ts';
import { usage } from '../run/record-options.ts';
import { lineCount } from '../service/logs.ts';
import { chooseAttempt } from './attempt-choice.ts';

const BLOCK_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** `tacho logs <run>`: the output as a user would have seen it. */
export async function printRunOutput(selector: string, options: LogsOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const record = readShownRecord(folder);
  const lines = options.lines === undefined ? null : lineCount(options.lines);
  const follow = Boolean(options.follow) && record.live !== null;
  if (hasConversation(record)) {
    if (lines !== null) throw usage('-n does not work for the conversation of an agent', 'Leave it out.');
    const { showChat } = await import('./show-chat.ts');
    return showChat(selector, { ...options, follow });
  }
  if (follow) {
    const { attachRun } = await import('../run/attach.ts');
    return attachRun(selector, { ...options, fromStart: true, readOnly: true });
  }
  const { writeRaw } = await import('./raw.ts');
  const stream = streamOf(folder);
  const range = lines === null ? {} : { range: lastLines(stream.file, stream.from, lines) };
  return writeRaw(selector, { ...options, stream: stream.name, ...range });
}

/** The merged stream where one was kept, which has the order of both. */
function streamOf(folder: RunFolder): { name: 'pty' | 'stdout'; file: string; from: number } {
  const names = attemptFileNames(chooseAttempt(folder, undefined));
  const pty = path.join(folder.audit, names.pty);
  if (isRegularFile(pty)) return { name: 'pty', file: pty, from: ptyHeaderBytes(pty) };
  return { name: 'stdout', file: path.join(folder.audit, names.stdout), from: 0 };
}

/** The range of the last lines of a file, in the format of `raw --range`. Reads from the end: the file may be huge. */
function lastLines(file: string, begin: number, count: number): string {
  const fd = openRegularFile(file);
  try {
    const { size } = fs.fstatSync(fd);
    // The last line feed ends the last line.
    let missing = count;
    let position = Math.max(begin, size - 1);
    while (position > begin && count > 0) {
      const from = Math.max(begin, position - BLOCK_BYTES);
      const block = readAt(fd, from, position - from);
      for (let at = block.lastIndexOf(LINE_FEED); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(LINE_FEED, at - 1)) {
        missing--;
        if (missing === 0) return `${from + at + 1}-${size}`;
      }
      position = from;
    }
    return `${count === 0 ? size : begin}-${size}`;
  } finally {
    fs.closeSync(fd);
  }
}
