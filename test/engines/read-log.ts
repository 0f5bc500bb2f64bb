import type { OutputStream, Parser, ParserContext, RaspData, RaspDraft } from '../../src/protocol/index.ts';
import { NO_USAGE, raspDataSchemas, reportUsage } from '../../src/protocol/index.ts';
import { Coverage } from '../../src/runs/attempt/coverage.ts';

export const TIME = Date.parse('2026-11-15T08:00:00.000Z');

export interface Chunk {
  stream: OutputStream;
  bytes: Uint8Array;
  time: number;
}

export function parserContext(engine: string, more: Partial<ParserContext> = {}): ParserContext {
  return { attempt: 1, engine, origin: {}, ...more };
}

/** What the driver does: tick to a chunk's time, push it; at last the end. */
export function readChunks(parser: Parser, chunks: readonly Chunk[], exitCode = 0): RaspDraft[] {
  const drafts: RaspDraft[] = [];
  let last = TIME;
  for (const { stream, bytes, time } of chunks) {
    drafts.push(...parser.tick(time), ...parser.push(stream, bytes, time));
    last = time;
  }
  drafts.push(...parser.end({ exit_code: exitCode, signal: null, time: last }));
  return drafts;
}

/** Whole logs, all read at one time: stdout, then stderr, then the merged one. */
export function readLogs(
  parser: Parser,
  logs: Partial<Record<OutputStream, Uint8Array | string | null>>,
  exitCode = 0,
): RaspDraft[] {
  const streams = ['stdout', 'stderr', 'pty'] as const;
  const chunks = streams
    .filter((stream) => logs[stream])
    .map((stream) => ({ stream, bytes: Buffer.from(logs[stream] as string), time: TIME }));
  return readChunks(parser, chunks, exitCode);
}

/** The five facts an expectation names, from events. */
export function summarize(drafts: readonly RaspDraft[]) {
  const of = <T extends keyof typeof raspDataSchemas>(type: T) =>
    drafts.filter(({ event }) => event.type === type).map(({ data }) => data as RaspData<T>);
  const started = of('tool.call.started');
  const ended = drafts.filter(({ event }) => /^tool\.call\.(completed|failed)$/.test(event.type));
  const errors = of('diagnostic.engine.error').map(({ code }) => code);
  const statuses = of('lifecycle.run.status');
  return {
    session_id: statuses.find(({ session_id }) => session_id)?.session_id ?? null,
    final_messages: of('agent.message.final').map(({ text }) => text),
    reasoning: of('agent.reasoning.summary').map(({ text }) => text),
    started: started.length,
    tools: ended.map(({ event, data }) => {
      const { name, kind } = data as RaspData<'tool.call.completed'>;
      return { name, kind, state: event.type === 'tool.call.failed' ? 'failed' : 'completed' };
    }),
    usage: statuses.reduce(reportUsage, NO_USAGE).own,
    errors: [...new Set(errors)],
    warnings: [...new Set(of('diagnostic.parser.warning').map(({ code }) => code))],
  };
}

/** The lines of a log in which none of these words stands. */
export function linesWithout(log: string, ...words: string[]): string {
  const lines = log.split(/(?<=\n)/);
  return lines.filter((line) => !words.some((word) => line.includes(word))).join('');
}

/** Bytes of the streams that some event points at. */
export function coveredBytes(drafts: readonly RaspDraft[]): number {
  const coverage = new Coverage();
  for (const draft of drafts) coverage.add(draft.raw_ref);
  return coverage.bytes();
}

/** Throws when an event's data is not what the protocol says. */
export function checkDrafts(drafts: readonly RaspDraft[]): void {
  for (const { event, data } of drafts) raspDataSchemas[event.type].parse(data);
}
