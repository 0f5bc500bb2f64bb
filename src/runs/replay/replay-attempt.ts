import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, openRegularFile, readAt, readRegularFile } from '../../files/index.ts';
import {
  attemptFileNames,
  type ExitFacts,
  type OutputStream,
  type Parser,
  type ParserContext,
  type RaspDraft,
  type Redactions,
  redactionsSchema,
} from '../../protocol/index.ts';
import { ptyHeaderBytes, type RunFolder, readChunks } from '../../recording/index.ts';
import { ParseDriver } from './parse-driver.ts';
import { createRecordedMask } from './recorded-mask.ts';

export interface ReplayRequest {
  folder: RunFolder;
  attempt: number;
  engine: string;
  mode: 'split' | 'merged';
  createParser(context: ParserContext): Parser;
  /** The merged log was recorded separately, and is read after the others. */
  mergedApart?: boolean;
  /** The logs were recorded elsewhere. */
  imported?: boolean;
  exit: ExitFacts;
  /** Masked ranges (default: those recorded with the attempt). */
  redactions?: Redactions['ranges'];
  /** Start offset in each stream's file (default: its first byte). */
  from?: Partial<Record<OutputStream, number>>;
}

/**
 * The events of an attempt's bytes, read again from its files by the same code as live. Bytes that a crash left without
 * an index record count as read together with the last indexed ones.
 */
export function* replayAttempt(request: ReplayRequest): Generator<RaspDraft[]> {
  const { folder, attempt, engine, mode, mergedApart = false, imported = false } = request;
  const names = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  const header = ptyHeaderBytes(at(names.pty));
  const { stdout = 0, stderr = 0, pty = 0 } = request.from ?? {};
  const origin = { stdout, stderr, pty: Math.max(pty, header) };
  const ranges = request.redactions ?? readRedactions(folder, attempt);
  const mask = createRecordedMask(ranges, { ...origin, pty: origin.pty - header });
  const parser = request.createParser({ attempt, engine, origin, mergedApart, imported });
  const driver = new ParseDriver(parser, mask, { ptyHeaderBytes: header });
  const sides: Record<'a' | 'b', Source> =
    mode === 'split'
      ? { a: openSource('stdout', at(names.stdout), stdout), b: openSource('stderr', at(names.stderr), stderr) }
      : { a: openSource('pty', at(names.pty), origin.pty), b: openSource('stderr', null) };
  const apart = openSource('pty', mergedApart ? at(names.pty) : null, origin.pty);
  const firstOutput = { a: mode === 'split' ? 0 : header, b: 0 };
  let time = 0;
  try {
    if (isRegularFile(at(names.chunks))) {
      for (const chunk of readChunks(at(names.chunks))) {
        time = chunk.time;
        if (chunk.source !== 'a' && chunk.source !== 'b') continue;
        const source = sides[chunk.source];
        const unread = firstOutput[chunk.source] + chunk.ends[chunk.source] - source.position;
        if (unread <= 0) continue;
        const bytes = readNext(source, unread);
        const drafts = driver.push(source.stream, bytes, chunk.time);
        if (drafts.length > 0) yield drafts;
      }
    }
    if (time === 0) time = request.exit.time * 1000;
    for (const source of [sides.a, sides.b, apart]) {
      for (let bytes = readNext(source, 65_536); bytes.length > 0; bytes = readNext(source, 65_536)) {
        const drafts = driver.push(source.stream, bytes, time);
        if (drafts.length > 0) yield drafts;
      }
    }
    yield driver.end(request.exit);
  } finally {
    for (const { fd } of [...Object.values(sides), apart]) if (fd !== null) fs.closeSync(fd);
  }
}

export function readRedactions(folder: RunFolder, attempt: number): Redactions['ranges'] {
  const file = path.join(folder.audit, attemptFileNames(attempt).redactions);
  if (!isRegularFile(file)) return [];
  return redactionsSchema.parse(JSON.parse(readRegularFile(file))).ranges;
}

interface Source {
  stream: OutputStream;
  fd: number | null;
  position: number;
}

function openSource(stream: OutputStream, file: string | null, position = 0): Source {
  const fd = file !== null && isRegularFile(file) ? openRegularFile(file) : null;
  return { stream, fd, position };
}

/** The next bytes of a stream, at most `length`; fewer at the end of the file. */
function readNext(source: Source, length: number): Buffer {
  if (source.fd === null) return Buffer.alloc(0);
  const bytes = readAt(source.fd, source.position, length);
  source.position += bytes.length;
  return bytes;
}
