import type { FileHandle } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { TachoError } from '../../protocol/index.ts';
import { parseRange } from './byte-range.ts';

interface SentFile {
  /** Closed after sending. */
  handle: FileHandle;
  size: number;
  headers: IncomingHttpHeaders;
  method: string;
}

/** Sends a file of a record, or the one requested range, as plain bytes. */
export async function sendBytes(
  reply: FastifyReply,
  { handle, size, headers, method }: SentFile,
): Promise<FastifyReply> {
  // Responses have no validator, so a range with If-Range is ignored.
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
  // An empty stream: for any other body the framework would overwrite our content-length.
  if (method === 'HEAD') return reply.send(Readable.from([]));
  if (from === to) {
    await handle.close();
    return reply.send(Buffer.alloc(0));
  }
  return reply.send(handle.createReadStream({ start: from, end: to - 1 }));
}
