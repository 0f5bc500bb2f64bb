import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { runStatusSchema } from '../protocol/index.ts';
import type { Director } from '../runs/index.ts';
import type { ParseFigures } from './parse-figures.ts';
import type { StreamKind } from './streams/event-source.ts';

export interface Metrics {
  /** In the text format of Prometheus. */
  read(): Promise<string>;
  contentType: string;
  delivered(kind: StreamKind, events: number): void;
  answered(labels: { method: string; route: string; status: number }, seconds: number): void;
}

interface MetricSources {
  director: Director;
  parsing: ParseFigures;
  streams(kind: StreamKind): Promise<{ count: number; largestLag: number }>;
  listReaders(): number;
  terminalReaders(): number;
}

/** Gauges are read on request; only counters are updated as things happen. */
export function createMetrics({ director, parsing, streams, listReaders, terminalReaders }: MetricSources): Metrics {
  const registers = [new Registry()];
  const [register] = registers as [Registry];
  collectDefaultMetrics({ register });
  const gauge = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Gauge({ name: `tacho_${name}`, help, labelNames, registers });

  const runs = gauge('runs', 'Runs there are, by status.', ['status']);
  const queue = gauge('queue_length', 'Runs that wait to be started.');
  const running = gauge('runs_live', 'Runs that are being recorded.');
  const slots = gauge('slots', 'Runs that may be recorded at the same time.');
  const readers = gauge('sse_readers', 'Open event streams.', ['kind']);
  const lag = gauge('sse_lag_events', 'Events the slowest reader has yet to be sent.', ['kind']);
  const attempts = gauge('parse_attempts', 'Finished attempts the figures about parsing are from.', ['engine']);
  const confidence = gauge('parse_confidence', 'Average confidence of parsing.', ['engine']);
  const fallbacks = gauge('parse_fallback_ratio', 'Share of events from a fallback of the parser.', ['engine']);
  const unknown = gauge('parse_unknown_ratio', 'Share of events the parser had no meaning for.', ['engine']);
  const coverage = gauge('parse_coverage_ratio', 'Share of output bytes that events speak of.', ['engine']);
  const delivered = new Counter({
    name: 'tacho_events_delivered_total',
    help: 'Events sent to readers of streams.',
    labelNames: ['kind'],
    registers,
  });
  const durations = new Histogram({
    name: 'tacho_http_request_duration_seconds',
    help: 'Duration of requests, event streams left out.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });

  async function collect(): Promise<void> {
    const stats = director.stats();
    if (stats.byStatus === null) runs.reset();
    else for (const status of runStatusSchema.options) runs.set({ status }, stats.byStatus[status] ?? 0);
    queue.set(stats.queued);
    running.set(stats.running);
    slots.set(stats.slots);
    for (const kind of ['run_event', 'chat_event'] as const) {
      const { count, largestLag } = await streams(kind);
      readers.set({ kind }, count);
      lag.set({ kind }, largestLag);
    }
    readers.set({ kind: 'run_list' }, listReaders());
    readers.set({ kind: 'terminal' }, terminalReaders());
    for (const figure of await parsing.read()) {
      const { engine } = figure;
      attempts.set({ engine }, figure.attempts);
      if (figure.confidence !== null) confidence.set({ engine }, figure.confidence);
      fallbacks.set({ engine }, figure.fallbackShare);
      unknown.set({ engine }, figure.unknownShare);
      coverage.set({ engine }, figure.coverage);
    }
  }

  return {
    contentType: register.contentType,
    async read() {
      await collect();
      return register.metrics();
    },
    delivered: (kind, events) => delivered.inc({ kind }, events),
    answered: ({ method, route, status }, seconds) => durations.observe({ method, route, status }, seconds),
  };
}
