import { TachoError } from '../protocol/index.ts';
import type { ByteWindow } from './requests.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** Bytes of a stream, and its current size. */
export interface RawPart {
  bytes: Uint8Array;
  from: number;
  /** Size of the whole stream; null if the server did not report it. */
  total: number | null;
}

/** A range of a stream's bytes. Empty beyond the end, not an error: a live stream will get there. */
export async function readRaw(
  transport: Transport,
  path: readonly (string | number)[],
  { from = 0, to }: ByteWindow,
  options: RequestOptions,
): Promise<RawPart> {
  if (to !== undefined && to <= from) return { bytes: new Uint8Array(0), from, total: null };
  const whole = from === 0 && to === undefined;
  const headers = whole ? {} : { range: `bytes=${from}-${to === undefined ? '' : to - 1}` };
  try {
    const answer = await transport.request(path, { ...options, headers });
    const bytes = await answer.bytes();
    // A proxy may not support ranges, and then returns everything.
    if (answer.response.status !== 206) return { bytes: bytes.subarray(from, to), from, total: bytes.length };
    return { bytes, from, total: totalOf(answer.response.headers.get('content-range')) };
  } catch (error) {
    if (!(error instanceof TachoError) || error.facts.http_status !== 416) throw error;
    return { bytes: new Uint8Array(0), from, total: typeof error.facts.size === 'number' ? error.facts.size : null };
  }
}

function totalOf(contentRange: string | null): number | null {
  const total = /\/(\d+)$/.exec(contentRange ?? '')?.[1];
  return total === undefined ? null : Number(total);
}
