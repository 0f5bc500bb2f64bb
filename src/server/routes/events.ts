import { fullLines, type ReadRange } from '../../journal/index.ts';
import { pageOf } from '../../protocol/index.ts';
import { folderFiles } from '../../recording/index.ts';
import { openJournal } from '../../runs/index.ts';
import { answersAsKept, answersWith } from '../answers.ts';
import { readPage } from '../history.ts';
import { locateRun } from '../locate-run.ts';
import { fcmpMessage, raspEvent } from '../openapi.ts';
import { historyQuery, runParams, streamQuery } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

const VOCABULARIES = [
  { kind: 'run_event', path: 'events', event: raspEvent, words: 'events (RASP)' },
  { kind: 'chat_event', path: 'conversation', event: fcmpMessage, words: 'conversation (FCMP)' },
] as const;

/** The events and the conversation of a run: history by page, and a live stream. */
export function eventRoutes(app: RouteApp, { context, streams }: Service): void {
  for (const { kind, path, event, words } of VOCABULARIES) {
    app.route({
      method: 'GET',
      url: `/v1/runs/:id/${path}`,
      config: { scope: 'read' },
      schema: {
        summary: `Reads a run’s ${words} by number or by time.`,
        params: runParams,
        querystring: historyQuery,
        response: answersAsKept(pageOf(event)),
      },
      handler: async ({ params, query }, reply) => {
        const folder = locateRun(context.home.runs, params.id);
        const journal = openJournal(folder, context.config);
        const full = query.full === '1';
        const inTime = (range: ReadRange) => journal.readLines(folder.runId, range);
        const page = await streams.use(folder, { kind, full }, ({ source }) => {
          const lines = full ? (range: ReadRange) => fullLines(inTime(range), folderFiles(folder)) : inTime;
          return readPage(source, query, kind === 'run_event' ? lines : null);
        });
        return reply.type('application/json; charset=utf-8').send(page);
      },
    });

    app.route({
      method: 'GET',
      url: `/v1/runs/:id/${path}/stream`,
      exposeHeadRoute: false,
      config: { scope: 'read', endless: true },
      schema: {
        summary: `Follows a run’s ${words} from a number on, until the run ends.`,
        params: runParams,
        querystring: streamQuery,
        response: answersWith(
          'text/event-stream',
          `stream.opened, then ${kind} frames whose id is the seq, then stream.closed.`,
        ),
      },
      handler: ({ params, query, headers }, reply) => {
        const folder = locateRun(context.home.runs, params.id);
        const cursor = query.cursor ?? lastEventId(headers['last-event-id']);
        const view = { kind, full: query.full === '1' };
        return streams.stream(folder, view, reply, { cursor, deltas: query.deltas !== '0' });
      },
    });
  }
}

/**
 * A client sends back the last id it received. An invalid id restarts the stream, because an error would repeat
 * forever.
 */
function lastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined || header === '') return 0;
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}
