import type { RaspDraft, RaspEvent } from '../../protocol/index.ts';

/** An event that differs between two readings of the same bytes. */
export interface Difference {
  kind: 'only recorded' | 'only now' | 'changed';
  type: string;
  /** Of the recorded event; null without one. */
  seq: number | null;
  raw_ref: RaspEvent['raw_ref'];
  /** The differing fields: as recorded and as read now. */
  fields?: Record<string, { recorded: unknown; now: unknown }>;
}

/** How an earlier version of tacho would have written this; null if it would have done the same. */
export type OlderForm = (now: RaspDraft) => Promise<RaspDraft | null>;

/** Maximum distance between matching events; beyond it, the readings count as different there. */
const WINDOW = 256;

const COMPARED = ['ts', 'source', 'event', 'data', 'correlation'] as const;

/** Compares two readings event by event; memory does not grow with their length. */
export async function compareEvents(
  recorded: AsyncIterable<RaspEvent>,
  now: Iterable<RaspDraft>,
  { maxShown, older }: { maxShown: number; older: OlderForm },
): Promise<{ differences: Difference[]; total: number; events: number }> {
  const differences: Difference[] = [];
  let total = 0;
  let events = 0;
  const olds: Keyed<RaspEvent>[] = [];
  const news: Keyed<RaspDraft>[] = [];
  const oldSource = recorded[Symbol.asyncIterator]();
  const newSource = now[Symbol.iterator]();
  let oldDone = false;
  let newDone = false;

  for (;;) {
    while (!oldDone && olds.length < WINDOW) {
      const next = await oldSource.next();
      if (next.done) oldDone = true;
      else olds.push(keyed(next.value));
    }
    while (!newDone && news.length < WINDOW) {
      const next = newSource.next();
      if (next.done) newDone = true;
      else news.push(keyed(next.value));
    }
    if (olds.length === 0 && news.length === 0) return { differences, total, events };
    await step();
  }

  async function step(): Promise<void> {
    const [left] = olds;
    const [right] = news;
    if (!left) report(onlyNow(news.shift()!));
    else if (!right) report(onlyRecorded(olds.shift()!));
    else if (left.key === right.key) {
      events++;
      const [recorded, reading] = [olds.shift()!.event, news.shift()!.event];
      const changed = compare(recorded, reading);
      const before = changed && (await older(reading));
      if (changed && !(before && compare(recorded, before) === null)) report(changed);
    } else resync(left.key, right.key);
  }

  /** Continues at the nearest point where the readings match again. */
  function resync(left: string, right: string): void {
    const inNewer = news.findIndex(({ key }) => key === left);
    const inOlder = olds.findIndex(({ key }) => key === right);
    if (inNewer >= 0 && (inOlder < 0 || inNewer <= inOlder)) {
      for (const event of news.splice(0, inNewer)) report(onlyNow(event));
    } else if (inOlder >= 0) {
      for (const event of olds.splice(0, inOlder)) report(onlyRecorded(event));
    } else {
      report(onlyRecorded(olds.shift()!));
      report(onlyNow(news.shift()!));
    }
  }

  function report(difference: Difference): void {
    total++;
    if (differences.length < maxShown) differences.push(difference);
  }
}

/**
 * The key identifies matching events of the two readings: their type and their bytes. Computed once, because each
 * difference searches a whole window.
 */
interface Keyed<E> {
  key: string;
  event: E;
}

function keyed<E extends RaspDraft>(event: E): Keyed<E> {
  return { key: `${event.event.type} ${JSON.stringify(event.raw_ref)}`, event };
}

function compare(recorded: RaspEvent, now: RaspDraft): Difference | null {
  const fields: NonNullable<Difference['fields']> = {};
  const before = { ...recorded, correlation: parserTies(recorded) };
  for (const name of COMPARED) {
    if (JSON.stringify(before[name]) !== JSON.stringify(now[name])) {
      fields[name] = { recorded: before[name], now: now[name] };
    }
  }
  if (Object.keys(fields).length === 0) return null;
  return { kind: 'changed', type: recorded.event.type, seq: recorded.seq, raw_ref: recorded.raw_ref, fields };
}

/** An event's cause is a number assigned by the journal, so a parser cannot know it. */
function parserTies({ correlation }: RaspEvent): RaspEvent['correlation'] {
  const { parent_seq: _given, ...ties } = correlation;
  return ties;
}

function onlyRecorded({ event: { event, seq, raw_ref } }: Keyed<RaspEvent>): Difference {
  return { kind: 'only recorded', type: event.type, seq, raw_ref };
}

function onlyNow({ event: { event, raw_ref } }: Keyed<RaspDraft>): Difference {
  return { kind: 'only now', type: event.type, seq: null, raw_ref };
}
