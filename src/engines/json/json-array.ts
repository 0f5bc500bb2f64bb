import type { OutputStream } from '../../protocol/index.ts';
import { LONGEST_LINE } from '../line-cutter.ts';
import type { LineReader, Surface } from '../line-parser.ts';
import type { Unit } from '../unit.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const STREAMS = ['stdout', 'stderr', 'pty'] as const;

/** Receives the objects of an array; `json` is the object, `bytes` are all bytes of the unit, with brackets and commas. */
export type ElementReader = (bytes: Buffer, unit: Unit, json: Buffer) => void;

/** An array that is not closed yet. */
interface OpenArray {
  /** Bytes since the last object that was given away; what lies beyond `length` is room for more. */
  buffer: Buffer;
  length: number;
  unit: Unit;
  /** The object in it, as far as it was seen. */
  objectFrom: number;
  objectTo: number;
  /** How many brackets are open inside the object. */
  depth: number;
}

/**
 * Splits arrays of objects, on one line or on several, and gives each object to `element`. An array begins on a new line
 * with a bracket and an object. The commas go to the object behind them, the closing bracket to the last one. Where the
 * text is not such an array after all, what is left of it is a line.
 */
export function splitArrays(surface: Surface, lines: LineReader, element: ElementReader): LineReader {
  const open: Partial<Record<OutputStream, OpenArray>> = {};

  function line(bytes: Buffer, unit: Unit): void {
    const array = open[unit.stream];
    if (array && unit.to - array.unit.from > LONGEST_LINE) {
      giveTooLong(array);
      line(bytes, unit);
    } else if (array) {
      const from = array.length;
      add(array, bytes, unit);
      scan(array, from);
    } else if (beginsArray(bytes)) {
      const { length } = bytes;
      const begun = { buffer: Buffer.from(bytes), length, unit: { ...unit }, objectFrom: -1, objectTo: -1, depth: 0 };
      open[unit.stream] = begun;
      scan(begun, bytes.indexOf(OPEN_ARRAY) + 1);
    } else lines.line(bytes, unit);
  }

  function scan(array: OpenArray, from: number): void {
    let inString = false;
    for (let at = from; at < array.length; at++) {
      const byte = array.buffer[at]!;
      if (inString) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) inString = false;
      } else if (array.depth > 0) {
        if (byte === QUOTE) inString = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) array.depth++;
        else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --array.depth === 0) array.objectTo = at + 1;
      } else if (isBlank(byte)) {
        // Between the objects.
      } else if (array.objectTo < 0 && byte === OPEN_OBJECT) {
        array.objectFrom = at;
        array.depth = 1;
      } else if (array.objectTo >= 0 && byte === COMMA) {
        const { objectTo } = array;
        give(array, objectTo);
        at -= objectTo;
      } else {
        if (array.objectTo >= 0 && byte === CLOSE_ARRAY) close(array, at + 1);
        else giveUp(array);
        return;
      }
    }
    // No string continues on the next line.
    if (inString) giveUp(array);
  }

  /** Gives the object away, with the bytes before `to`; the rest belongs to the next one. */
  function give(array: OpenArray, to: number): void {
    const { buffer, unit, objectFrom, objectTo } = array;
    array.buffer = buffer.subarray(to);
    array.length -= to;
    array.unit = { ...unit, from: unit.from + to };
    array.objectFrom = -1;
    array.objectTo = -1;
    element(buffer.subarray(0, to), { ...unit, to: unit.from + to }, buffer.subarray(objectFrom, objectTo));
  }

  function close(array: OpenArray, to: number): void {
    const isOver = array.buffer.subarray(to, array.length).every(isBlank);
    give(array, isOver ? array.length : to);
    giveRest(array);
  }

  /** Not an array of objects: a whole object is read, and the rest is a line. */
  function giveUp(array: OpenArray): void {
    if (array.objectTo >= 0) give(array, array.objectTo);
    giveRest(array);
  }

  function giveRest({ buffer, length, unit }: OpenArray): void {
    delete open[unit.stream];
    if (length > 0) lines.line(buffer.subarray(0, length), unit);
  }

  function giveTooLong({ buffer, length, unit }: OpenArray): void {
    delete open[unit.stream];
    surface.raw(buffer.subarray(0, length), unit);
    surface.draft.warning('LINE_TOO_LONG', unit, { bytes: unit.to - unit.from });
  }

  return {
    line,
    gathers: (stream) => open[stream] !== undefined || (lines.gathers?.(stream) ?? false),
    interrupt(stream) {
      const array = open[stream];
      if (array) giveTooLong(array);
      lines.interrupt?.(stream);
    },
    end(exit) {
      for (const stream of STREAMS) {
        const array = open[stream];
        if (array) giveUp(array);
      }
      lines.end(exit);
    },
  };
}

/** A bracket, and then an object or the end of the line. */
function beginsArray(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length && isBlank(bytes[at]!)) at++;
  if (bytes[at] !== OPEN_ARRAY) return false;
  at++;
  while (at < bytes.length && isBlank(bytes[at]!)) at++;
  return at === bytes.length || bytes[at] === OPEN_OBJECT;
}

/** The buffer grows by doubling: one of its own for each line would cost more than the lines. */
function add(array: OpenArray, bytes: Buffer, { to, time }: Unit): void {
  const { length } = array;
  if (array.buffer.length < length + bytes.length) {
    const larger = Buffer.allocUnsafe(2 * (length + bytes.length));
    larger.set(array.buffer.subarray(0, length));
    array.buffer = larger;
  }
  array.buffer.set(bytes, length);
  array.length += bytes.length;
  array.unit.to = to;
  array.unit.time = time;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}
