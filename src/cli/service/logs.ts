import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TachoError } from '../../protocol/index.ts';
import type { LogsOptions } from '../commands/service.ts';
import { openContext } from '../context.ts';
import { usage } from '../run/record-options.ts';

const POLL_INTERVAL_MS = 200;

export async function printLogs(options: LogsOptions): Promise<void> {
  const count = lineCount(options.lines ?? '50');
  const file = path.join(openContext(options).home.root, 'logs', 'server.log');
  if (!fs.existsSync(file)) {
    throw new TachoError('NOT_FOUND', `there is no log at ${file}`, {
      fix: 'The server writes it: tacho start. What a run printed: tacho logs last',
    });
  }
  const text = fs.readFileSync(file, 'utf8');
  const lines = text.split('\n').slice(0, -1);
  process.stdout.write(
    lines
      .slice(Math.max(0, lines.length - count))
      .map((line) => `${line}\n`)
      .join(''),
  );
  if (options.follow) await follow(file, Buffer.byteLength(text));
}

export function lineCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw usage(`--lines ${text}: give a number from 0`, 'E.g. -n 100');
}

async function follow(file: string, from: number): Promise<void> {
  for (let position = from; ; ) {
    const { size } = fs.statSync(file);
    if (size < position) position = 0; // The log was truncated or replaced.
    if (size > position) {
      const bytes = Buffer.alloc(size - position);
      const fd = fs.openSync(file, 'r');
      position += fs.readSync(fd, bytes, 0, bytes.length, position);
      fs.closeSync(fd);
      process.stdout.write(bytes);
    }
    await sleep(POLL_INTERVAL_MS);
  }
}
