import type { ByteRange, RawRef, RawStream } from '../../../src/protocol/index.ts';

/** A range of one stream, half open. */
export interface ByteSpan {
  from: number;
  to: number;
}

/** One stream of one attempt. */
export interface StreamName {
  stream: RawStream;
  attempt: number;
}

export function rangesOf(ref: RawRef): readonly ByteRange[] {
  if (ref === null) return [];
  return Array.isArray(ref) ? ref : [ref];
}

export function streamOf({ stream, attempt_number }: ByteRange): StreamName {
  return { stream, attempt: attempt_number };
}

export function isInStream(range: ByteRange, { stream, attempt }: StreamName): boolean {
  return range.stream === stream && range.attempt_number === attempt;
}

/** The name of the file in the run's folder that holds the bytes. */
export function fileName({ stream, attempt }: StreamName): string {
  return stream === 'pty' ? `pty-output.${attempt}.log` : `${stream}.${attempt}.log`;
}
