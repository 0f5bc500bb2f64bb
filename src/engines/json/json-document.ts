import type { OutputStream } from '../../protocol/index.ts';
import { LONGEST_LINE } from '../line-cutter.ts';
import type { LineReader, Surface } from '../line-parser.ts';
import type { Unit } from '../unit.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const STREAMS = ['stdout', 'stderr', 'pty'] as const;

/** Lines that may be one JSON object. */
interface Document {
  bytes: Buffer;
  unit: Unit;
  /** How many braces are open. */
  depth: number;
  /** Nothing but the first brace was seen yet. */
  empty: boolean;
}

/**
 * Puts the lines of an object that is printed over several of them together, and gives it to `reader` as one line. It
 * begins with a brace at the beginning of a line, or behind `label`, and is over when its braces close; what follows on
 * the same line is another line. One that never closes ends where another one begins, so that it swallows noise at most.
 */
export function gatherDocuments(surface: Surface, reader: LineReader, label: string): LineReader {
  const open: Partial<Record<OutputStream, Document>> = {};
  const labelled = Buffer.from(`${label}{`);

  function line(bytes: Buffer, unit: Unit): void {
    const document = open[unit.stream];
    const from = beginsAt(bytes);
    if (from < 0) {
      if (document) goOn(document, bytes, unit);
      else reader.line(bytes, unit);
      return;
    }
    if (document) give(document);
    if (from > 0) surface.raw(bytes.subarray(0, from), { ...unit, to: unit.from + from });
    begin(bytes.subarray(from), { ...unit, from: unit.from + from });
  }

  function beginsAt(bytes: Buffer): number {
    if (bytes[0] === OPENING) return 0;
    const isLabelled = bytes[0] === labelled[0] && bytes.subarray(0, labelled.length).equals(labelled);
    return isLabelled ? labelled.length - 1 : -1;
  }

  function begin(bytes: Buffer, unit: Unit): void {
    const { end, depth, inString } = scanLine(bytes, 0);
    const first = firstFrom(bytes, 1);
    // A string cannot continue in the next line: such a line was cut off.
    if (inString || !mayFollowBrace(first)) reader.line(bytes, unit);
    else if (end >= 0) giveBoth(bytes, unit, end, (whole, itsUnit) => reader.line(whole, itsUnit));
    else open[unit.stream] = { bytes: Buffer.from(bytes), unit: { ...unit }, depth, empty: first === 0 };
  }

  function goOn(document: Document, bytes: Buffer, unit: Unit): void {
    const first = firstFrom(bytes, 0);
    const isTooLong = unit.to - document.unit.from > LONGEST_LINE;
    // An object that is not valid JSON: a program printed it for people.
    const isOther = document.empty && !mayFollowBrace(first);
    if (isTooLong || isOther) {
      if (isTooLong) giveTooLong(document);
      else give(document);
      reader.line(bytes, unit);
      return;
    }
    const { end, depth } = scanLine(bytes, document.depth);
    document.depth = depth;
    document.empty &&= first === 0;
    if (end < 0) add(document, bytes, unit);
    else {
      giveBoth(bytes, unit, end, (last, itsUnit) => {
        add(document, last, itsUnit);
        give(document);
      });
    }
  }

  /** A line that ends an object: what stands behind the last brace, unless it is blank, is given as a line of its own. */
  function giveBoth(bytes: Buffer, unit: Unit, end: number, giveObject: LineReader['line']): void {
    if (firstFrom(bytes, end) === 0) {
      giveObject(bytes, unit);
      return;
    }
    const at = unit.from + end;
    giveObject(bytes.subarray(0, end), { ...unit, to: at });
    reader.line(bytes.subarray(end), { ...unit, from: at });
  }

  function give(document: Document): void {
    delete open[document.unit.stream];
    reader.line(bytesOf(document), document.unit);
  }

  function giveTooLong(document: Document): void {
    const { unit } = document;
    delete open[unit.stream];
    surface.raw(bytesOf(document), unit);
    surface.draft.warning('LINE_TOO_LONG', unit, { bytes: unit.to - unit.from });
  }

  return {
    line,
    gathers: (stream) => open[stream] !== undefined,
    interrupt(stream) {
      const document = open[stream];
      if (document) giveTooLong(document);
    },
    end(exit) {
      for (const stream of STREAMS) {
        const document = open[stream];
        if (document) give(document);
      }
      reader.end(exit);
    },
  };
}

/** The buffer grows by doubling: one of its own for each line would cost more than the lines. */
function add(document: Document, bytes: Buffer, { from, to, time }: Unit): void {
  const { unit } = document;
  const length = from - unit.from;
  if (document.bytes.length < length + bytes.length) {
    const larger = Buffer.allocUnsafe(2 * (length + bytes.length));
    larger.set(document.bytes.subarray(0, length));
    document.bytes = larger;
  }
  document.bytes.set(bytes, length);
  unit.to = to;
  unit.time = time;
}

function bytesOf({ bytes, unit }: Document): Buffer {
  return bytes.subarray(0, unit.to - unit.from);
}

/** Counts the braces of a line outside of strings; `end` is behind the one that closes the first, or -1. */
function scanLine(bytes: Buffer, before: number): { end: number; depth: number; inString: boolean } {
  let depth = before;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPENING) depth++;
    else if (byte === CLOSING && --depth === 0) return { end: at + 1, depth, inString };
  }
  return { end: -1, depth, inString };
}

/** The first byte from `at` on that is not a blank; 0 if there is none. */
function firstFrom(bytes: Buffer, at: number): number {
  for (let place = at; place < bytes.length; place++) {
    const byte = bytes[place]!;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== 0x0a) return byte;
  }
  return 0;
}

/** What JSON allows behind the first brace: a name, the end, or a line feed. */
function mayFollowBrace(byte: number): boolean {
  return byte === 0 || byte === QUOTE || byte === CLOSING;
}
