import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { attemptFileNames, rawStreamSchema, TachoError } from '../protocol/index.ts';
import { findRun, ptyHeaderBytes } from '../recording/index.ts';
import { chooseAttempt } from './attempt-choice.ts';
import { openContext } from './context.ts';
import type { RawOptions } from './raw.ts';

export async function writeRaw(selector: string, options: RawOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const attempt = chooseAttempt(folder, options.attempt);
  const names = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  const asked = options.stream ?? (fs.existsSync(at(names.stdout)) ? 'stdout' : 'pty');
  const stream = rawStreamSchema.safeParse(asked);
  if (!stream.success) {
    throw new TachoError('USAGE', `--stream ${asked} is not known`, { fix: 'Use stdout, stderr, stdin or pty.' });
  }
  const file = at(names[stream.data]);
  if (!fs.existsSync(file)) {
    throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no ${stream.data}`, {
      facts: { attempt, stream: stream.data },
      fix: 'With --capture merged everything is in the stream pty; level minimal keeps no pty.',
    });
  }
  // Without a range the header line of the merged log is left out: it is not output. Ranges count from the file's start.
  const range = options.range ? parseRange(options.range) : { from: stream.data === 'pty' ? ptyHeaderBytes(file) : 0 };
  const reading = fs.createReadStream(file, {
    start: range.from,
    ...('to' in range ? { end: range.to - 1 } : {}),
  });
  if ('to' in range && range.to <= range.from) return;
  process.stdout.on('error', () => reading.destroy());
  for await (const piece of reading) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}

function parseRange(text: string): { from: number; to: number } {
  const match = /^(\d+)-(\d+)$/.exec(text);
  const from = Number(match?.[1]);
  const to = Number(match?.[2]);
  if (match && from <= to) return { from, to };
  throw new TachoError('USAGE', `--range ${text}: give two offsets, the second one not included`, {
    fix: 'Example: --range 1024-2048',
  });
}
