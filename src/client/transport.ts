import * as z from 'zod';
import { readLeniently, TachoError } from '../protocol/index.ts';
import { errorOfAnswer, invalidAnswer, parseJson, unreachable } from './answer-error.ts';

export interface TransportOptions {
  url: string;
  token: string;
  fetch?: typeof globalThis.fetch;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Request extends RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: Query;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** Sends requests with the token, and converts every failure to a TachoError. */
export interface Transport {
  /** Path segments, which may contain any character. */
  request(path: readonly (string | number)[], request?: Request): Promise<Answer>;
  json<T>(path: readonly (string | number)[], schema: z.ZodType<T>, request?: Request): Promise<T>;
}

export interface Answer {
  url: string;
  response: Response;
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
}

export function createTransport({ url, token, fetch = globalThis.fetch }: TransportOptions): Transport {
  const base = baseOf(url);
  checkToken(token);

  async function request(path: readonly (string | number)[], options: Request = {}): Promise<Answer> {
    const { method = 'GET', query = {}, body, headers = {}, signal } = options;
    const target = new URL(path.map(encodeSegment).join('/'), base);
    for (const [name, value] of Object.entries(query)) {
      // The protocol writes booleans as 1 and 0.
      const written = typeof value === 'boolean' ? Number(value) : value;
      if (written !== undefined) target.searchParams.set(name, String(written));
    }
    const response = await fetch(target.href, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((cause: unknown) => {
      throw networkError(target.href, cause, signal);
    });
    const read = <T>(body: Promise<T>) =>
      body.catch((cause: unknown) => {
        throw networkError(target.href, cause, signal);
      });
    const answer: Answer = {
      url: target.href,
      response,
      text: () => read(response.text()),
      bytes: async () => new Uint8Array(await read(response.arrayBuffer())),
    };
    if (!response.ok) throw errorOfAnswer(response, await answer.text(), target.href);
    return answer;
  }

  return {
    request,
    async json(path, schema, options) {
      const answer = await request(path, { ...options, headers: { accept: 'application/json', ...options?.headers } });
      return checked(schema, parseJson(await answer.text()), answer.url);
    },
  };
}

/** Encodes any name; rejects names that would change the path. */
function encodeSegment(segment: string | number): string {
  if (/^\.{0,2}$/.test(String(segment))) throw new TachoError('INVALID_REQUEST', `"${segment}" names nothing`);
  return encodeURIComponent(segment);
}

function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TachoError('USAGE', `"${url}" is not the address of a server`, {
      fix: 'For example: http://127.0.0.1:4100',
    });
  }
  return url.endsWith('/') ? url : `${url}/`;
}

/** fetch would reject it too, with an obscure message and as if the server had failed. */
function checkToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new TachoError('UNAUTHORIZED', 'the token is empty or holds characters that no token has', {
    fix: 'Give the token as tacho start prints it, without blanks or line ends.',
  });
}

/** Validates an answer with its schema; code after this trusts it. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, url: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Content in the format of a newer version of tacho is returned as it is.
  const newer = readLeniently(schema, value);
  if (newer.success) return newer.data;
  throw invalidAnswer(url, z.prettifyError(result.error).slice(0, 1000), result.error);
}

/** An aborted request throws the caller's own reason. */
function networkError(url: string, cause: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : unreachable(url, cause);
}
