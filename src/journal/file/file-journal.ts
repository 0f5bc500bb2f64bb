import type { Touch } from '../../files/index.ts';
import { type RaspDraft, type RaspEvent, TachoError } from '../../protocol/index.ts';
import { type EventFormat, RASP_FORMAT } from '../event-json.ts';
import type {
  AppendHook,
  AppendOptions,
  AppendResult,
  Claim,
  Journal,
  LineOptions,
  ReadRange,
  TailOptions,
} from '../journal.ts';
import { journalDamaged } from './file-errors.ts';
import type { KeptEvent } from './index-writer.ts';
import { type LogPlace, logPlace, openLog } from './log-file.ts';
import { wakeReaders } from './log-watcher.ts';
import { openWriter } from './open-writer.ts';
import { selectLines } from './reader.ts';
import type { LogLine } from './scan.ts';
import type { FsyncMode } from './sync-policy.ts';
import { tailLog } from './tail.ts';
import type { LogWriter } from './writer.ts';

export interface FileJournalOptions<Draft = RaspDraft, Event = RaspEvent> {
  /** The audit folder of a run. */
  locate: (run: string) => string;
  fsync: FsyncMode;
  fsyncIntervalMs?: number;
  hooks?: readonly AppendHook<Event>[];
  /** What is kept; RASP by default. */
  format?: EventFormat<Draft, Event>;
}

/** The journal as files: `events.jsonl` in each run's audit folder, with its locks and its index beside it. */
export function createFileJournal<Draft = RaspDraft, Event extends KeptEvent = RaspEvent>(
  options: FileJournalOptions<Draft, Event>,
): Journal<Draft, Event> {
  const { locate, fsync, fsyncIntervalMs = 1000, hooks = [] } = options;
  const format = options.format ?? (RASP_FORMAT as unknown as EventFormat<Draft, Event>);
  const writers = new Map<string, LogWriter<Draft, Event>>();
  const placeOf = (run: string) => logPlace(run, locate(run), format.version);

  async function claim(run: string): Promise<Claim> {
    const former = writers.get(run);
    if (former !== undefined && !former.isSole()) await release(run, former.lock.epoch).catch(() => {});
    const { writer, claim } = await openWriter(placeOf(run), { fsync, fsyncIntervalMs, format });
    writers.set(run, writer);
    return claim;
  }

  async function append(
    run: string,
    epoch: number,
    expectedSeq: number,
    drafts: readonly Draft[],
    { durable = false }: AppendOptions = {},
  ): Promise<AppendResult<Event>> {
    const writer = writers.get(run);
    if (writer?.lock.epoch !== epoch) return { ok: false, reason: 'fenced' };
    if (!writer.isSole()) {
      await release(run, epoch).catch(() => {});
      return { ok: false, reason: 'fenced' };
    }
    if (expectedSeq !== writer.lastSeq) return { ok: false, reason: 'conflict', lastSeq: writer.lastSeq };
    const events = writer.write(drafts);
    const { lastSeq } = writer;
    await writer.synced({ durable });
    if (events.length > 0) {
      callHooks(hooks, run, events);
      wakeReaders(writer.place.path);
    }
    return { ok: true, lastSeq, events };
  }

  async function release(run: string, epoch: number): Promise<void> {
    const writer = writers.get(run);
    if (writer?.lock.epoch !== epoch) return;
    writers.delete(run);
    await writer.close();
  }

  function putBack(run: string, epoch: number): Touch[] {
    const writer = writers.get(run);
    return writer?.lock.epoch === epoch ? writer.putBack() : [];
  }

  async function* readLines(
    run: string,
    range: ReadRange = {},
    options: LineOptions = {},
  ): AsyncGenerator<LogLine[], void, undefined> {
    const { afterSeq = 0, limit = Number.POSITIVE_INFINITY } = range;
    const fromMs = timeOf(range.fromTs, Number.NEGATIVE_INFINITY);
    const toMs = timeOf(range.toTs, Number.POSITIVE_INFINITY);
    const log = limit > 0 ? await openLog(placeOf(run)) : null;
    if (log === null) return;
    try {
      let left = limit;
      for await (const lines of selectLines(log, { afterSeq, fromMs, toMs }, options)) {
        yield lines.length > left ? lines.slice(0, left) : lines;
        left -= lines.length;
        if (left <= 0) return;
      }
    } finally {
      await log.handle.close();
    }
  }

  function tailLines(run: string, afterSeq: number, options: TailOptions & LineOptions = {}) {
    return tailLog(placeOf(run), afterSeq, options);
  }

  return {
    claim,
    append,
    putBack,
    release,
    readLines: (run, range, options) => readLines(run, range, options),
    tailLines,
    // Parsed at once, and not kept.
    read: (run, range) => parsed(placeOf(run), readLines(run, range, { reuse: { bytes: null } })),
    tail: (run, afterSeq, tailOptions) =>
      parsed(placeOf(run), tailLines(run, afterSeq, { ...tailOptions, reuse: { bytes: null } })),
  };
}

function callHooks<Event>(hooks: readonly AppendHook<Event>[], run: string, events: readonly Event[]): void {
  for (const hook of hooks) {
    try {
      hook(run, events)?.catch(() => {});
    } catch {
      // See AppendHook: the events are kept whether or not a listener fails.
    }
  }
}

/** The writer's own lines, numbered and chained by it: parsed, not validated again. */
async function* parsed<Event>(
  place: LogPlace,
  batches: AsyncIterable<LogLine[]>,
): AsyncGenerator<Event[], void, undefined> {
  for await (const lines of batches) {
    yield lines.map((line) => {
      try {
        return JSON.parse(line.bytes.toString()) as Event;
      } catch {
        throw journalDamaged(place.path, line.byteFrom, `event ${line.seq} is not JSON`);
      }
    });
  }
}

function timeOf(ts: string | undefined, otherwise: number): number {
  if (ts === undefined) return otherwise;
  const time = Date.parse(ts);
  if (Number.isNaN(time))
    throw new TachoError('USAGE', `"${ts}" is not a time`, { fix: 'Write it like 2026-11-15T08:00:00Z.' });
  return time;
}
