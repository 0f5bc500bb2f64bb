import { type Line, linesOf } from '../lines.ts';
import { DamageReport, microsOf, sizeOf, type TerminalHeader, type TerminalMoment } from './terminal-moment.ts';

/** A version 1 recording is one JSON document and has to be read as a whole. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
const USUAL_SIZE = { cols: 80, rows: 24 };

export type AsciicastVersion = 1 | 2 | 3;

export interface Asciicast {
  version: AsciicastVersion;
  header: TerminalHeader;
}

interface Fields {
  readonly [name: string]: unknown;
}

/** The header of an asciicast, from its first bytes; null if they are not those of one. */
export function readAsciicastHeader(head: Buffer): Asciicast | null {
  const text = head.toString('utf8').trimStart();
  const [first = ''] = text.split('\n', 1);
  // The document of version 1 may be longer than its beginning, and its header is whatever stands before the output.
  const fields = objectOf(first) ?? headOfDocument(text);
  if (!fields) return null;
  const { version } = fields;
  if (version === 3 && isObject(fields.term)) {
    const { cols, rows, type } = fields.term;
    return { version, header: headerOf(fields, cols, rows, type) };
  }
  if ((version !== 1 && version !== 2) || fields.width === undefined || fields.height === undefined) return null;
  const term = isObject(fields.env) ? fields.env.TERM : undefined;
  return { version, header: headerOf(fields, fields.width, fields.height, term) };
}

function headerOf(fields: Fields, cols: unknown, rows: unknown, term: unknown): TerminalHeader {
  const started = microsOf(fields.timestamp);
  return {
    startedAt: started === null ? null : started / 1000,
    command: typeof fields.command === 'string' ? fields.command : null,
    term: typeof term === 'string' && /^[\w.+-]{1,64}$/.test(term) ? term : 'xterm-256color',
    cols: sizeOf(cols) ?? USUAL_SIZE.cols,
    rows: sizeOf(rows) ?? USUAL_SIZE.rows,
  };
}

export interface CastReading {
  moments: Generator<TerminalMoment>;
  damage: DamageReport;
  /** How the command exited, if the recording says so; known at its end. */
  exitCode(): number | null;
}

/** The events of an asciicast, one by one; of what cannot be read it says so and goes on. */
export function readAsciicast(version: AsciicastVersion, pieces: Iterable<Buffer>): CastReading {
  const damage = new DamageReport();
  let exitCode: number | null = null;
  let time = 0;

  function* read(): Generator<TerminalMoment> {
    if (version === 1) {
      yield* readDocument(pieces, damage);
      return;
    }
    let isHeader = true;
    for (const line of linesOf(pieces)) {
      if (isHeader || line.text === '' || line.text?.startsWith('#')) {
        isHeader = false;
        continue;
      }
      const moment = readEvent(line);
      if (moment) yield moment;
    }
  }

  function readEvent({ text, number }: Line): TerminalMoment | null {
    const event = text === null ? null : arrayOf(text);
    const at = microsOf(event?.[0]);
    const [, code, data] = event ?? [];
    if (at === null || typeof code !== 'string' || typeof data !== 'string') {
      damage.add(text === null ? 'line too long' : 'not an event', number);
      return null;
    }
    // Version 3 has the time since the event before.
    const now = version === 3 ? time + at : at;
    if (now < time) damage.add('time goes back', number);
    time = Math.max(time, now);
    switch (code) {
      case 'o':
        return { kind: 'output', time, bytes: Buffer.from(data) };
      case 'i':
        return { kind: 'input', time, bytes: Buffer.from(data) };
      case 'r': {
        const [cols, rows] = data.split('x').map((size) => sizeOf(Number(size)));
        if (cols && rows) return { kind: 'resize', time, cols, rows };
        damage.add('not a size', number);
        return null;
      }
      case 'x':
        exitCode = /^\d{1,3}$/.test(data) ? Number(data) : null;
        return null;
      default:
        // Markers, and what later versions add.
        return null;
    }
  }

  return { moments: read(), damage, exitCode: () => exitCode };
}

function* readDocument(pieces: Iterable<Buffer>, damage: DamageReport): Generator<TerminalMoment> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    if (bytes <= MAX_DOCUMENT_BYTES) kept.push(Buffer.from(piece));
  }
  if (bytes > MAX_DOCUMENT_BYTES) {
    damage.add(`a document of more than ${MAX_DOCUMENT_BYTES} bytes`, MAX_DOCUMENT_BYTES);
    return;
  }
  const output = objectOf(Buffer.concat(kept).toString('utf8'))?.stdout;
  if (!Array.isArray(output)) {
    damage.add('not a document with output', 0);
    return;
  }
  let time = 0;
  for (const [index, frame] of output.entries()) {
    const [delay, data] = Array.isArray(frame) ? (frame as unknown[]) : [];
    const micros = microsOf(delay);
    if (micros === null || typeof data !== 'string') {
      damage.add('not a frame', index);
      continue;
    }
    time += micros;
    yield { kind: 'output', time, bytes: Buffer.from(data) };
  }
}

/** The fields of a document before its output. */
function headOfDocument(text: string): Fields | null {
  if (!/^\{\s*"version"\s*:\s*1\b/.test(text)) return null;
  const output = /,\s*"stdout"\s*:\s*\[/.exec(text);
  return objectOf(output ? `${text.slice(0, output.index)}}` : text);
}

function objectOf(text: string): Fields | null {
  const value = jsonOf(text);
  return isObject(value) ? value : null;
}

function arrayOf(text: string): unknown[] | null {
  const value = jsonOf(text);
  return Array.isArray(value) ? value : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null; // Cut off, or never JSON.
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
