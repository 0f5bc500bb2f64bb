import { statSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { openRegularHandle, streamRegularFile } from '../../files/index.ts';
import {
  attemptFileNames,
  BLOBS_FOLDER,
  fsDiffSchema,
  MAX_BLOB_BYTES,
  metaSchema,
  resultSchema,
  TachoError,
  verificationSchema,
} from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import {
  exportRecord,
  findArtifact,
  isAnnounced,
  openJournal,
  readTranscript,
  verifyInPlace,
  whenSealed,
} from '../../runs/index.ts';
import { answers, answersAsKept, answersWith } from '../answers.ts';
import { locateRun, recordFile, requireAttempt } from '../locate-run.ts';
import { sendBytes } from '../raw/send-bytes.ts';
import { readMeta, readResult } from '../result.ts';
import { artifactParams, attemptParams, contentQuery, filesQuery, runParams } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

const MAX_DIFF_BYTES = 512 * 1024 * 1024;
const STREAMS = ['stdin', 'stdout', 'stderr', 'pty'] as const;

/** The record of a run: facts, changed files, result, archive; and whether it matches its seal. */
export function recordRoutes(app: RouteApp, { context, streams, turns }: Service): void {
  const locate = (id: string) => locateRun(context.home.runs, id);

  /**
   * Waits until a run that has just ended is sealed. A run whose record is unreadable, or that nothing recovers because
   * it was not started here, is returned as it is.
   */
  async function locateSealed(id: string, { raw }: FastifyReply): Promise<RunFolder> {
    const folder = locate(id);
    await whenSealed(folder, openJournal(folder, context.config), {
      recovers: isAnnounced(context.home, folder),
      read: (reading) => turns.take(raw, reading),
    }).catch(() => {});
    return folder;
  }

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/attempts/:attempt',
    config: { scope: 'read' },
    schema: {
      summary: 'Facts of an attempt that has ended; for a live attempt the error reports the sizes of its streams.',
      params: attemptParams,
      response: answers(200, metaSchema),
    },
    handler: async ({ params }, reply) => {
      const folder = await locateSealed(params.id, reply);
      const attempt = requireAttempt(folder, params.attempt);
      const meta = readMeta(folder, attempt);
      if (meta !== null) return meta;
      throw new TachoError('RUN_ACTIVE', `attempt ${attempt} of ${folder.runId} has not ended`, {
        facts: { attempt, bytes: sizes(folder, attempt) },
      });
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/files',
    config: { scope: 'read' },
    schema: {
      summary: 'Files an attempt created, modified and deleted; by default of the last attempt.',
      params: runParams,
      querystring: filesQuery,
      response: answersAsKept(fsDiffSchema),
    },
    handler: async ({ params, query }, reply) => {
      const folder = await locateSealed(params.id, reply);
      const attempt = requireAttempt(folder, query.attempt);
      const file = recordFile(folder, attemptFileNames(attempt).fsDiff);
      if (file === null) {
        throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no list of files`, {
          facts: { attempt },
          fix: 'It is there when the attempt has ended, unless it was recorded at level minimal or imported.',
        });
      }
      return reply.type('application/json; charset=utf-8').send(streamBounded(file, MAX_DIFF_BYTES));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/files/content',
    config: { scope: 'read' },
    schema: {
      summary:
        'Content of a changed file, by its sha256 as `before_blob` and `after_blob` name it. One range can be requested.',
      params: runParams,
      querystring: contentQuery,
      response: answersWith('application/octet-stream', 'The content.'),
    },
    handler: async ({ params, query: { sha }, headers, method }, reply) => {
      const file = recordFile(locate(params.id), BLOBS_FOLDER, sha);
      if (file === null) throw new TachoError('NOT_FOUND', 'the run keeps no content with this sha256');
      refuseLarger(file, MAX_BLOB_BYTES);
      const handle = await openRegularHandle(file);
      reply.header('content-disposition', `attachment; filename="${sha}"`);
      return sendBytes(reply, { handle, size: (await handle.stat()).size, headers, method });
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/result',
    config: { scope: 'read' },
    schema: {
      summary: 'The result of a run. Rejected until it has ended.',
      params: runParams,
      response: answers(200, resultSchema),
    },
    handler: async ({ params }) => {
      const folder = locate(params.id);
      return streams.use(folder, { kind: 'run_event', full: false }, ({ source }) =>
        readResult(folder, openJournal(folder, context.config), source),
      );
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/artifacts/:path',
    config: { scope: 'read' },
    schema: {
      summary: 'An artifact of a run with a skill, by its path in the result. One range can be requested.',
      params: artifactParams,
      response: answersWith('application/octet-stream', 'The content.'),
    },
    handler: async ({ params, headers, method }, reply) => {
      const folder = await locateSealed(params.id, reply);
      const artifact = findArtifact(folder, params.path);
      const file = recordFile(folder, BLOBS_FOLDER, artifact.sha256);
      if (file === null) throw new TachoError('NOT_FOUND', 'the record no longer holds the content of this artifact');
      refuseLarger(file, artifact.bytes);
      const handle = await openRegularHandle(file);
      reply.header('content-disposition', attachment(artifact.path));
      return sendBytes(reply, { handle, size: (await handle.stat()).size, headers, method });
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/transcript',
    config: { scope: 'read' },
    schema: {
      summary: 'A readable transcript in Markdown, of all attempts unless one is named.',
      params: runParams,
      querystring: filesQuery,
      response: answersWith('text/markdown', 'The transcript.'),
    },
    handler: async ({ params, query }, reply) => {
      const folder = await locateSealed(params.id, reply);
      const attempt = query.attempt === undefined ? undefined : requireAttempt(folder, query.attempt);
      const read = () => readTranscript(folder, openJournal(folder, context.config), attempt);
      reply.header('content-disposition', `attachment; filename="${folder.runId}.md"`);
      return reply.type('text/markdown; charset=utf-8').send(Readable.from(await turns.take(reply.raw, read)));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id/bundle',
    exposeHeadRoute: false,
    config: { scope: 'read' },
    schema: {
      summary: 'The whole record as a zip, with a proof that the ledger lists its seals.',
      params: runParams,
      response: answersWith('application/zip', 'The record.'),
    },
    handler: async ({ params }, reply) => {
      const folder = await locateSealed(params.id, reply);
      reply.header('content-disposition', `attachment; filename="${folder.runId}.zip"`);
      return reply.type('application/zip').send(await exportRecord(folder, context.home));
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/runs/:id/verify',
    config: { scope: 'read' },
    schema: {
      summary: 'Checks whether the record is as it was sealed.',
      params: runParams,
      response: answers(200, verificationSchema),
    },
    handler: async ({ params }, reply) => {
      const folder = await locateSealed(params.id, reply);
      return turns.take(reply.raw, () => verifyInPlace(folder, context.home));
    },
  });
}

function streamBounded(file: string, maxBytes: number): Readable {
  refuseLarger(file, maxBytes);
  return streamRegularFile(file);
}

/** The program chose the name: the plain form has only characters that no reader mistakes. */
function attachment(artifact: string): string {
  const name = artifact.slice(artifact.lastIndexOf('/') + 1);
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"; filename*=UTF-8''${exact}`;
}

/** A file larger than the recorder writes was put there by another program. */
function refuseLarger(file: string, maxBytes: number): void {
  const { size } = statSync(file);
  if (size <= maxBytes) return;
  throw new TachoError('RECORD_INCOMPLETE', `the file has ${size} bytes, more than such a file can have`, {
    facts: { size },
    fix: 'Check the record with POST /v1/runs/{id}/verify.',
  });
}

/** Current size of each stream's file. */
function sizes(folder: RunFolder, attempt: number): Record<string, number> {
  const names = attemptFileNames(attempt);
  const files = STREAMS.map((stream) => [stream, recordFile(folder, names[stream])] as const);
  return Object.fromEntries(
    files.flatMap(([stream, file]) => (file === null ? [] : [[stream, statSync(file).size] as const])),
  );
}
