import fs from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { openRegularFile, readAt } from '../files/index.ts';
import { PTY_HEADER_MAX_BYTES, ptyHeaderLength } from '../record/index.ts';

const MAX_VALUE_BYTES = 4096;

/** The util-linux "advanced" timing format, which `scriptreplay` plays. */
export interface TimingHeader {
  startedAt: Date;
  term: string;
  cols: number;
  rows: number;
  command: string;
}

export function timingHeader(header: TimingHeader): string {
  const rows = [
    ['START_TIME', header.startedAt.toISOString()],
    ['TERM', header.term],
    ['COLUMNS', String(header.cols)],
    ['LINES', String(header.rows)],
    ['COMMAND', oneLine(header.command)],
  ];
  return rows.map(([name, value]) => `H 0.000000 ${name} ${value}\n`).join('');
}

/** One entry: output or input of `length` bytes, `micros` after the previous entry. */
export function timingEntry(kind: 'O' | 'I', micros: number, length: number): string {
  return `${kind} ${seconds(micros)} ${length}\n`;
}

export function timingResize(micros: number, cols: number, rows: number): string {
  return `S ${seconds(micros)} SIGWINCH ROWS=${rows} COLS=${cols}\n`;
}

/** A header is one line, and short enough for `scriptreplay`, which reads at most 8 KiB per line. */
function oneLine(text: string): string {
  const line = Buffer.from(text.replaceAll(/[\r\n\0]+/g, ' '));
  if (line.length <= MAX_VALUE_BYTES) return line.toString('utf8');
  // Never cuts a character: the decoder holds back an incomplete one, and is not called again.
  return new StringDecoder('utf8').write(line.subarray(0, MAX_VALUE_BYTES));
}

function seconds(micros: number): string {
  const whole = Math.floor(micros / 1e6);
  return `${whole}.${String(micros - whole * 1e6).padStart(6, '0')}`;
}

/** First line of `pty-output.N.log`; `scriptreplay` skips it. */
export function ptyOutputHeader(header: TimingHeader): string {
  const command = oneLine(header.command);
  return `Script started on ${header.startedAt.toISOString()} [COMMAND="${command}" TERM="${header.term}" COLUMNS="${header.cols}" LINES="${header.rows}"]\n`;
}

/** Length of that first line, even if a crash cut it off. */
export function ptyHeaderBytes(file: string): number {
  let fd: number;
  try {
    fd = openRegularFile(file);
  } catch {
    return 0; // No merged log was stored.
  }
  try {
    return ptyHeaderLength(readAt(fd, 0, PTY_HEADER_MAX_BYTES));
  } finally {
    fs.closeSync(fd);
  }
}
