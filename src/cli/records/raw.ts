import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, openRegularFile, readAt, streamRegularFile } from '../../files/index.ts';
import { attemptFileNames, rawStreamSchema, TachoError } from '../../protocol/index.ts';
import { findRun, ptyHeaderBytes } from '../../recording/index.ts';
import type { RawOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { writeOut } from '../output/write-out.ts';
import { chooseAttempt } from './attempt-choice.ts';

const MAX_JSON_BYTES = 16 * 1024 * 1024;

export async function writeRaw(selector: string, options: RawOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const attempt = chooseAttempt(folder, options.attempt);
  const names = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  const asked = options.stream ?? (isRegularFile(at(names.stdout)) ? 'stdout' : 'pty');
  const stream = rawStreamSchema.safeParse(asked);
  if (!stream.success) {
    throw new TachoError('USAGE', `--stream ${asked} is not known`, { fix: 'Use stdout, stderr, stdin or pty.' });
  }
  const file = at(names[stream.data]);
  if (!isRegularFile(file)) {
    throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no ${stream.data}`, {
      facts: { attempt, stream: stream.data },
      fix: 'With --capture merged everything is in the stream pty; level minimal keeps no pty.',
    });
  }
  // Without a range, skips the header line of the merged log, which is not output. Ranges count from the file's start.
  const range = options.range ? parseRange(options.range) : { from: stream.data === 'pty' ? ptyHeaderBytes(file) : 0 };
  if (options.json) return writeJson(folder.runId, { attempt, stream: stream.data, file, ...range });
  const reading = streamRegularFile(file, {
    start: range.from,
    ...('to' in range ? { end: range.to - 1 } : {}),
  });
  if ('to' in range && range.to <= range.from) return;
  process.stdout.on('error', () => reading.destroy());
  for await (const piece of reading) await writeOut(process.stdout, piece as Buffer);
}

/** As base64, because JSON has no bytes; larger outputs must be read in ranges. */
function writeJson(
  runId: string,
  place: { attempt: number; stream: string; file: string; from: number; to?: number },
): void {
  const to = Math.min(place.to ?? Number.POSITIVE_INFINITY, fs.statSync(place.file).size);
  const length = Math.max(0, to - place.from);
  if (length > MAX_JSON_BYTES) {
    throw new TachoError('USAGE', `${length} bytes are too many for one JSON line`, {
      fix: `Ask for at most ${MAX_JSON_BYTES} at a time with --range, or leave out --json.`,
    });
  }
  const fd = openRegularFile(place.file);
  try {
    const base64 = readAt(fd, place.from, length).toString('base64');
    const { attempt, stream, from } = place;
    process.stdout.write(
      `${JSON.stringify({ run_id: runId, attempt, stream, byte_from: from, byte_to: to, base64 })}\n`,
    );
  } finally {
    fs.closeSync(fd);
  }
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
