import {
  attemptFileNames,
  linesAnswerSchema,
  searchAnswerSchema,
  TachoError,
  type TimingAnswer,
  timingAnswerSchema,
} from '../../protocol/index.ts';
import { byteTimes, linesAround, type RecordFile, searchFile } from '../../record/index.ts';
import { folderFiles, ptyHeaderBytes, type RunFolder, readShownRecord } from '../../recording/index.ts';
import { answers, answersWith } from '../answers.ts';
import { locateRun, recordFile } from '../locate-run.ts';
import { openRaw, withRaw } from '../raw/open-raw.ts';
import { sendBytes } from '../raw/send-bytes.ts';
import { attemptParams, linesQuery, rawParams, searchQuery, timingQuery } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** The raw bytes of streams, and when they were read. */
export function rawRoutes(app: RouteApp, { context, turns }: Service): void {
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
      const pty = stream === 'pty' ? recordFile(folder, attemptFileNames(attempt).pty) : null;
      if (pty !== null) reply.header('x-tacho-header-bytes', String(ptyHeaderBytes(pty)));
      return sendBytes(reply, { handle, size, headers, method });
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
      const search = { text: q, ignoreCase: ignore_case === '1', from, limit, signal: gone.signal, indexOf };
      const folder = locate(params.id);
      return turns.take(reply.raw, () => withRaw(folder, params, (file) => searchFile(file, search)));
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
    handler: async ({ params, query: { around, limit, before, after } }, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const half = Math.floor((limit - 1) / 2);
      const window = { around, before: before ?? half, after: after ?? limit - 1 - half };
      const folder = locate(params.id);
      // A line may be as long as the file: stop looking for its end once the client has disconnected.
      const until = (file: RecordFile): RecordFile => ({
        ...file,
        read: async (...range) => {
          gone.signal.throwIfAborted();
          return file.read(...range);
        },
      });
      return turns.take(reply.raw, () => withRaw(folder, params, (file) => linesAround(until(file), window)));
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
    handler: async ({ params: { id, attempt }, query }) => {
      const folder = locate(id);
      const times = await byteTimes(folderFiles(folder), attempt, query);
      if (times !== null) return times;
      if (isUnderWay(folder, attempt)) return nothingYet(folder, attempt);
      throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no times of its bytes`, {
        facts: { attempt },
      });
    },
  });
}

/** Followers of a run learn of an attempt a moment before its files exist. */
function isUnderWay(folder: RunFolder, attempt: number): boolean {
  const { status, attempt: current, live } = readShownRecord(folder);
  return live === null ? status === 'queued' && attempt === current + 1 : attempt === (live.attempt ?? current);
}

function nothingYet({ runId }: RunFolder, attempt: number): TimingAnswer {
  const times = { first_ts: null, last_ts: null, bytes: {}, at: null };
  return { run_id: runId, attempt, ...times, chunks: [], next_cursor: null, total: 0 };
}

/** Faster than the portable version. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(wanted, from);
}
