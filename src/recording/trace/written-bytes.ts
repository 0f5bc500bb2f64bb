import { readCString } from './c-string.ts';
import { type Descriptor, readDescriptor, scanArguments } from './call-arguments.ts';
import type { TraceCall } from './trace-reader.ts';
import { WRITE_CALLS } from './traced-calls.ts';

/** The bytes of a write that the trace shows. */
export interface WrittenBytes {
  bytes: Buffer;
  /** Bytes that were written but are not shown: the string was cut, or the kernel moved them unseen. */
  missing: number;
}

/** The descriptor that a call writes to; null if the call does not write or does not show it. */
export function writeTarget(call: TraceCall): Descriptor | null {
  const shape = WRITE_CALLS.get(call.name);
  return shape ? readDescriptor(call.args[shape.target]) : null;
}

/** The first `count` bytes of the call's data: what a write that returned `count` wrote. */
export function writtenBytes(call: TraceCall, count: number): WrittenBytes {
  const parts: Buffer[] = [];
  let missing = 0;
  let left = count;
  for (const piece of piecesOf(call)) {
    if (left === 0) break;
    const taken = Math.min(left, piece.length);
    const shown = piece.bytes.subarray(0, taken);
    parts.push(shown);
    missing += taken - shown.length;
    left -= taken;
  }
  return { bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), missing: missing + left };
}

/** The first bytes of the call's data, up to the first one that the trace does not show. */
export function firstBytes(call: TraceCall): Buffer {
  const parts: Buffer[] = [];
  for (const piece of piecesOf(call)) {
    parts.push(piece.bytes);
    if (piece.bytes.length < piece.length) break;
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** How many bytes the call was asked to write: the maximum if the process died in it. */
export function requestedBytes(call: TraceCall): number {
  return piecesOf(call).reduce((sum, piece) => sum + piece.length, 0);
}

interface Piece {
  bytes: Buffer;
  length: number;
}

function piecesOf(call: TraceCall): Piece[] {
  const data = WRITE_CALLS.get(call.name)?.data ?? null;
  const argument = data === null ? undefined : call.args[data];
  if (data === null || argument === undefined) return [];
  if (!argument.startsWith('[')) {
    const piece = readPiece(argument, call.args[data + 1]);
    return piece ? [piece] : [];
  }
  const vector = scanArguments(argument.slice(1, argument.endsWith(']') ? -1 : undefined), 0)?.args ?? [];
  return vector.flatMap((element) => {
    // `{iov_base="…", iov_len=12}`, and `{"…", 12}` of older tracers.
    const fields = element.startsWith('{') ? scanArguments(element.slice(1, -1), 0)?.args : undefined;
    const piece = fields ? readPiece(fields[0]?.replace(/^iov_base=/, ''), fields[1]?.replace(/^iov_len=/, '')) : null;
    return piece ? [piece] : [];
  });
}

function readPiece(text: string | undefined, length: string | undefined): Piece | null {
  const string = text?.startsWith('"') ? readCString(text, 0) : null;
  const stated = Number(length);
  if (string)
    return { bytes: string.bytes, length: Number.isSafeInteger(stated) ? Math.max(stated, 0) : string.bytes.length };
  // An address: the tracer could not read the memory, but the length is still valid.
  return Number.isSafeInteger(stated) && stated >= 0 ? { bytes: Buffer.alloc(0), length: stated } : null;
}
