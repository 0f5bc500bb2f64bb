import { Readable } from 'node:stream';
import {
  attemptFileNames,
  linesAnswerSchema,
  searchAnswerSchema,
  TachoError,
  timingAnswerSchema,
} from '../../protocol/index.ts';
import { ptyHeaderBytes } from '../../recording/index.ts';
import { answers, answersWith } from '../answers.ts';
import { byteTimes } from '../byte-times.ts';
import { locateRun, recordFile } from '../locate-run.ts';
import { parseRange } from '../raw/byte-range.ts';
import { linesAround } from '../raw/lines-around.ts';
import { openRaw, withRaw } from '../raw/open-raw.ts';
import { searchRaw } from '../raw/search.ts';
import { attemptParams, linesQuery, rawParams, searchQuery, timingQuery } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** The bytes behind everything, and when they were read. */
export function rawRoutes(app: RouteApp, { context }: Service): void {
  const locate = (id: string) => locateRun(context.home.runs, id);

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/raw/:stream.:attempt',
    config: { scope: 'read' },
    schema: {
      summary:
        'The bytes of a stream as they were recorded. One range can be asked for; several are answered with all of it.',
      description:
        'Offsets are those of `raw_ref`. The file of `pty` begins with a header line that is not output; x-tacho-header-bytes says how long it is.',
      params: rawParams,
      response: answersWith('application/octet-stream', 'The bytes.'),
    },
    handler: async ({ params: { id, stream, attempt }, headers, method }, reply) => {
      const folder = locate(id);
      const { handle, size } = await openRaw(folder, stream, attempt);
      // There is no validator that If-Range could name, so with it the range does not count.
      const range = headers['if-range'] === undefined ? parseRange(headers.range, size) : null;
      if (range === 'unsatisfiable' || method === 'HEAD') await handle.close();
      if (range === 'unsatisfiable') {
        reply.header('content-range', `bytes */${size}`);
        throw new TachoError('INVALID_REQUEST', `the range is behind the end: there are ${size} bytes`, {
          facts: { size, http_status: 416 },
        });
      }
      const { from, to } = range ?? { from: 0, to: size };
      if (range) reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${size}`);
      const pty = stream === 'pty' ? recordFile(folder, attemptFileNames(attempt).pty) : null;
      if (pty !== null) reply.header('x-tacho-header-bytes', String(ptyHeaderBytes(pty)));
      reply.headers({ 'accept-ranges': 'bytes', 'content-length': String(to - from) });
      reply.type('application/octet-stream');
      // A stream without bytes: of anything else the framework would send the length instead of ours.
      if (method === 'HEAD') return reply.send(Readable.from([]));
      if (from === to) {
        await handle.close();
        return reply.send(Buffer.alloc(0));
      }
      return reply.send(handle.createReadStream({ start: from, end: to - 1 }));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/raw/:stream.:attempt/search',
    config: { scope: 'read' },
    schema: {
      summary: 'Finds a text in all of a stream.',
      params: rawParams,
      querystring: searchQuery,
      response: answers(200, searchAnswerSchema),
    },
    handler: async ({ params, query: { q, from, limit, ignore_case } }, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const search = { text: q, ignoreCase: ignore_case === '1', from, limit, signal: gone.signal };
      return withRaw(locate(params.id), params, (file) => searchRaw(file, search));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/raw/:stream.:attempt/lines',
    config: { scope: 'read' },
    schema: {
      summary: 'The lines around a byte of a stream.',
      params: rawParams,
      querystring: linesQuery,
      response: answers(200, linesAnswerSchema),
    },
    handler: ({ params, query: { around, limit, before, after } }) => {
      const half = Math.floor((limit - 1) / 2);
      const window = { around, before: before ?? half, after: after ?? limit - 1 - half };
      return withRaw(locate(params.id), params, async (file) => ({
        lines: await linesAround(file, window),
        size: file.size,
      }));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/timing/:attempt',
    config: { scope: 'read' },
    schema: {
      summary: 'When which bytes were read, and which bytes had been read when.',
      params: attemptParams,
      querystring: timingQuery,
      response: answers(200, timingAnswerSchema),
    },
    handler: async ({ params, query }) => byteTimes(locate(params.id), params.attempt, query),
  });
}
