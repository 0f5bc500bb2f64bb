import type { FileHandle } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { TachoError } from '../../protocol/index.ts';
import { parseRange } from './byte-range.ts';

interface SentFile {
  /** Closed when it has been sent. */
  handle: FileHandle;
  size: number;
  headers: IncomingHttpHeaders;
  method: string;
}

/** Sends the bytes of a file of a record, or the one range that was asked for, as bytes and nothing else. */
export async function sendBytes(
  reply: FastifyReply,
  { handle, size, headers, method }: SentFile,
): Promise<FastifyReply> {
  // There is no validator that If-Range could name, so with it the range does not count.
  const range = headers['if-range'] === undefined ? parseRange(headers.range, size) : null;
  if (range === 'unsatisfiable' || method === 'HEAD') await handle.close();
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`);
    throw new TachoError('INVALID_REQUEST', `the range starts after the end: there are ${size} bytes`, {
      facts: { size, http_status: 416 },
    });
  }
  const { from, to } = range ?? { from: 0, to: size };
  if (range) reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${size}`);
  reply.headers({ 'accept-ranges': 'bytes', 'content-length': String(to - from) });
  reply.type('application/octet-stream');
  // A stream without bytes: of anything else the framework would send the length instead of ours.
  if (method === 'HEAD') return reply.send(Readable.from([]));
  if (from === to) {
    await handle.close();
    return reply.send(Buffer.alloc(0));
  }
  return reply.send(handle.createReadStream({ start: from, end: to - 1 }));
}
