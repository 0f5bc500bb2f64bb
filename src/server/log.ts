import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, type LoggerOptions, pino } from 'pino';

/** Nothing that opens a door is written down: no header, no body, no query, where a token might have been put by mistake. */
const OPTIONS: LoggerOptions = {
  redact: {
    paths: ['authorization', '*.authorization', 'req.headers', 'headers', 'token', '*.token'],
    censor: '[hidden]',
  },
  serializers: {
    req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({ method, path: pathOf(url), ip }),
    res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
  },
};

/** The server's own log, as JSON lines; on stderr unless told otherwise. */
export function createLog(level = 'info', destination: DestinationStream = process.stderr): FastifyBaseLogger {
  return pino({ ...OPTIONS, level }, destination) as FastifyBaseLogger;
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
