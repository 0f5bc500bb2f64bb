import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, openRegularFile, readAt } from '../files/index.ts';
import { attemptFileNames, TachoError } from '../protocol/index.ts';
import { readChunks } from './chunk-file.ts';
import type { RunFolder } from './run-folder.ts';
import { ptyHeaderBytes } from './timing.ts';

/** One event of a recording, in chronological order. */
export type Moment =
  /** `side` is the terminal it came from: a split character or control sequence continues there. */
  | { kind: 'output'; side: 'a' | 'b'; time: number; bytes: Buffer }
  | { kind: 'input'; time: number; bytes: Buffer }
  | { kind: 'resize'; time: number; cols: number; rows: number };

/** Plays an attempt from its files; `time` is microseconds since its beginning. Uses constant memory. */
export function* playback(folder: RunFolder, attempt: number): Generator<Moment> {
  const names = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  if (!isRegularFile(at(names.chunks)) || !isRegularFile(at(names.pty))) {
    throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no merged log to play`, {
      facts: { attempt },
      fix: 'It was recorded at level minimal; its bytes are there: tacho raw',
    });
  }
  const output = openRegularFile(at(names.pty));
  const input = openRegularFile(at(names.stdin));
  const header = ptyHeaderBytes(at(names.pty));
  const began = readPtyHeader(folder, attempt)?.startedAt.getTime();
  let start: number | null = null;
  try {
    for (const { time: absolute, source, length, ends } of readChunks(at(names.chunks))) {
      // The start of the recording, from the merged log's header: silence before the first output is part of it.
      start ??= Math.min(absolute, began === undefined ? absolute : began * 1000);
      const time = Math.max(0, absolute - start);
      if (source === 'resize') yield { kind: 'resize', time, cols: length >>> 16, rows: length & 0xffff };
      else if (source === 'input') yield { kind: 'input', time, bytes: readAt(input, ends.input - length, length) };
      else {
        const bytes = readAt(output, header + ends.a + ends.b - length, length);
        yield { kind: 'output', side: source, time, bytes };
      }
    }
  } finally {
    fs.closeSync(output);
    fs.closeSync(input);
  }
}

export interface PtyHeader {
  startedAt: Date;
  command: string;
  term: string;
  cols: number;
  rows: number;
}

export function readPtyHeader(folder: RunFolder, attempt: number): PtyHeader | null {
  const file = path.join(folder.audit, attemptFileNames(attempt).pty);
  const length = ptyHeaderBytes(file);
  const fd = openRegularFile(file);
  try {
    const text = readAt(fd, 0, length).toString('utf8');
    const match = /^Script started on (\S+) \[COMMAND="(.*)" TERM="([^"]*)" COLUMNS="(\d+)" LINES="(\d+)"\]/.exec(text);
    if (!match) return null;
    const [, time, command, term, cols, rows] = match;
    const startedAt = new Date(time!);
    if (Number.isNaN(startedAt.getTime())) return null;
    return { startedAt, command: command!, term: term!, cols: Number(cols), rows: Number(rows) };
  } finally {
    fs.closeSync(fd);
  }
}
