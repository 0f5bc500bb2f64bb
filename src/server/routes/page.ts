import type { FastifyReply, FastifyRequest } from 'fastify';
import { type PageFile, type PageSource, readPageFiles } from '../page-files.ts';
import type { RouteApp } from '../service.ts';

/** Client-side routes of the page; each of them is answered with the page. */
const VIEWS = [
  '/',
  '/new',
  '/runs/:id',
  '/approvals',
  '/terminals',
  '/terminals/:id',
  '/skills',
  '/skills/:namespace/:name',
  '/open',
];

/** Where the build puts everything that the page loads. */
const ASSETS = '/assets/';

/** The Studio: static files without secrets. The page requests its data with a token. Returns the page itself. */
export function pageRoutes(app: RouteApp, source: PageSource, basePath: string): PageFile | null {
  const files = readPageFiles(source, basePath);
  const page = files.get('/index.html');
  files.delete('/index.html');
  const named = [...files].filter(([url]) => !url.startsWith(ASSETS));
  const routes = [
    ...named.map(([url, file]) => ({ url, file })),
    ...VIEWS.map((url) => ({ url, file: page })),
    // Browsers request it where a page has no icon, for example when they show a single file.
    { url: '/favicon.ico', file: files.get('/icon.svg') },
  ];
  for (const { url, file } of routes) if (file !== undefined) serve(app, url, () => file);
  // One route for the dozens of files of the page: each separate route would make the server start slower.
  serve(app, `${ASSETS}*`, (url) => files.get(url));
  return page ?? null;
}

function serve(app: RouteApp, url: string, find: (path: string) => PageFile | undefined): void {
  app.route({
    method: 'GET',
    url,
    config: { scope: 'public' },
    schema: { hide: true },
    handler: (request, reply) => {
      const file = find(request.url.replace(/\?.*/s, ''));
      if (file) return sendPageFile(file, request, reply);
      reply.callNotFound();
      return reply;
    },
  });
}

export function sendPageFile(file: PageFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  });
  if (headers['if-none-match'] === file.etag) return reply.code(304).send();
  reply.type(file.type);
  const zipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '') ? file.gzipped() : null;
  return zipped === null ? reply.send(file.bytes) : reply.header('content-encoding', 'gzip').send(zipped);
}
