import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, type LoggerOptions, pino } from 'pino';

/** The log holds no credentials: no header, no body and no query, which may hold a token by mistake. */
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

/** The server's log as JSON lines, on stderr by default. */
export function createLog(level = 'info', destination: DestinationStream = process.stderr): FastifyBaseLogger {
  return pino({ ...OPTIONS, level }, destination) as FastifyBaseLogger;
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
