import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject } from './json-value.ts';
import { type Problem, problem } from './problem.ts';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES = 32 * MEGABYTE;

export interface Body {
  json: JsonObject;
  bytes: number;
}

/** The JSON object in a request; anything else is a problem that is reported to the client. */
export async function readBody(request: IncomingMessage): Promise<Body | Problem> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    request.resume();
    return problem(415, `The body is encoded as ${encoding}; send it as it is.`);
  }
  const bytes = await collect(request);
  if (!bytes) return problem(413, `The body is larger than ${MAX_BYTES / MEGABYTE} MB.`);
  if (bytes.length === 0) return problem(400, 'The body is empty; a JSON object is expected.');
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(json)) return { json, bytes: bytes.length };
    return problem(400, 'The body is JSON, but not an object.');
  } catch (error) {
    return problem(400, `The body is not JSON: ${(error as Error).message}`);
  }
}

/** All bytes, or null above the limit: the rest is read and dropped, so that the client receives the refusal. */
function collect(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve(null);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
}
