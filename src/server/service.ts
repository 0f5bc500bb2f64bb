import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Director, RunContext } from '../runs/index.ts';
import type { Agents } from './agents/agents.ts';
import type { Metrics } from './metrics.ts';
import type { RunListStream } from './streams/run-list-stream.ts';
import type { StreamHub } from './streams/stream-hub.ts';
import type { Terminals } from './terminals/terminals.ts';
import type { Turns } from './turns.ts';

/** Everything that routes use. */
export interface Service {
  director: Director;
  context: RunContext;
  streams: StreamHub;
  runList: RunListStream;
  terminals: Terminals;
  agents: Agents;
  metrics: Metrics;
  /** For requests that read whole records. */
  turns: Turns;
}

/** The app as routes see it: requests have the types of their schemas. */
export type RouteApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;
