import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import type { TokenScope } from '../../../src/protocol/index.ts';
import { type Director, loadTokens, locateDataHome, openDirector, type RunContext } from '../../../src/runs/index.ts';
import { createLog, createServer, type Server, type ServerOptions } from '../../../src/server/index.ts';
import { memoryLister } from '../../runs/service/memory-lister.ts';
import { processesWith, removeFolder, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';

const TOKENS: Readonly<Record<TokenScope, string>> = {
  read: 'token-that-may-read',
  reply: 'token-that-may-reply',
  admin: 'token-that-may-do-all',
};

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the content themselves.
  json: any;
}

export interface AskOptions {
  method?: string;
  /** Sent as JSON; a string or bytes unchanged. */
  body?: unknown;
  headers?: http.OutgoingHttpHeaders;
  /** The scope of the token to send; null for none. */
  scope?: TokenScope | null;
}

export interface Served {
  server: Server;
  director: Director;
  context: RunContext;
  url: string;
  port: number;
  /** Everything the server has logged. */
  log(): string;
  ask(path: string, options?: AskOptions): Promise<Answer>;
  headersFor(scope: TokenScope | null): Record<string, string>;
}

export interface ServeOptions extends Partial<ServerOptions> {
  home?: string;
  /** Registers cleanup; by default it runs when the test ends. */
  whenDone?: (end: () => Promise<void>) => void;
}

/** One server for all tests of a file. */
export function sharedServe<T extends Served = Served>(
  options: ServeOptions = {},
  start: (options: ServeOptions & { home: string }) => Promise<T> = serve as never,
): T & { home: string } {
  const served = {} as T & { home: string };
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-serve-'));
    ends.push(async () => removeFolder(home));
    const started = await start({ ...options, home, whenDone: (end) => void ends.push(end) });
    Object.assign(served, started, { home });
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return served;
}

/** A server in this process on a data folder, with the real director unless another is given. */
export async function serve(given: ServeOptions = {}): Promise<Served> {
  const { whenDone = onTestFinished } = given;
  const home = given.home ?? temporaryFolder();
  fs.writeFileSync(
    path.join(home, 'token'),
    Object.entries(TOKENS)
      .map(([scope, token]) => `${scope} ${token}\n`)
      .join(''),
    { mode: 0o600 },
  );
  const context: RunContext = {
    home: locateDataHome({}, home),
    config: loadConfig({ workspaceRoot: home, env: {} }).config,
    env: process.env,
    version: '0.0.0-test',
  };
  const director = given.director ?? (await realDirector(context, whenDone));
  const logged: string[] = [];
  const logger = createLog('debug', { write: (line) => void logged.push(line) });
  const server = await createServer({ director, context, tokens: loadTokens(home), logger, ...given });
  const { url, port } = await server.listen();
  whenDone(() => server.close());
  const headersFor = (scope: TokenScope | null) =>
    scope === null ? ({} as Record<string, string>) : { authorization: `Bearer ${TOKENS[scope]}` };

  return {
    server,
    director,
    context,
    url,
    port,
    log: () => logged.join(''),
    headersFor,
    ask(address, { method = 'GET', body, headers = {}, scope = 'admin' } = {}) {
      const asIs = typeof body === 'string' || Buffer.isBuffer(body);
      const content = body === undefined || asIs ? (body as string | Buffer | undefined) : JSON.stringify(body);
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      return ask(port, address, { method, content, headers: { ...headersFor(scope), ...type, ...headers } });
    },
  };
}

async function realDirector(context: RunContext, whenDone: NonNullable<ServeOptions['whenDone']>): Promise<Director> {
  const director = await openDirector({ context, command: [process.execPath, tachoCommand], index: memoryLister() });
  whenDone(async () => {
    await director.close();
    // Supervisors outlive it, and clean up after the last event.
    await until(() => processesWith(`supervise\u0000${context.home.root}`).length === 0);
  });
  return director;
}

/** A raw request: `fetch` would normalise paths and forbids some headers. */
function ask(
  port: number,
  address: string,
  {
    method,
    content,
    headers,
  }: { method: string; content: string | Buffer | undefined; headers: http.OutgoingHttpHeaders },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path: address, method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(pieces);
        const text = bytes.toString();
        const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          bytes,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    request.on('error', reject);
    // For methods that usually have no body, Node would send it without a length header.
    if (content !== undefined) request.setHeader('content-length', Buffer.byteLength(content));
    request.end(content);
  });
}
