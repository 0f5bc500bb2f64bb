import type { RaspDraft, RaspEvent } from '../../protocol/index.ts';

/** One event that two readings of the same bytes do not share. */
export interface Difference {
  kind: 'only recorded' | 'only now' | 'changed';
  type: string;
  /** Of the recorded event; null where there is none. */
  seq: number | null;
  raw_ref: RaspEvent['raw_ref'];
  /** What differs, by field: as recorded and as read now. */
  fields?: Record<string, { recorded: unknown; now: unknown }>;
}

/** How far one reading may be ahead of the other before they are taken to have nothing more in common there. */
const WINDOW = 256;

const COMPARED = ['ts', 'source', 'event', 'data', 'correlation'] as const;

/** Walks through both readings side by side; memory does not grow with their length. */
export async function compareEvents(
  recorded: AsyncIterable<RaspEvent>,
  now: Iterable<RaspDraft>,
  mostShown: number,
): Promise<{ differences: Difference[]; total: number; events: number }> {
  const differences: Difference[] = [];
  let total = 0;
  let events = 0;
  const older: Keyed<RaspEvent>[] = [];
  const newer: Keyed<RaspDraft>[] = [];
  const oldSource = recorded[Symbol.asyncIterator]();
  const newSource = now[Symbol.iterator]();
  let oldDone = false;
  let newDone = false;

  for (;;) {
    while (!oldDone && older.length < WINDOW) {
      const next = await oldSource.next();
      if (next.done) oldDone = true;
      else older.push(keyed(next.value));
    }
    while (!newDone && newer.length < WINDOW) {
      const next = newSource.next();
      if (next.done) newDone = true;
      else newer.push(keyed(next.value));
    }
    if (older.length === 0 && newer.length === 0) return { differences, total, events };
    step();
  }

  function step(): void {
    const [left] = older;
    const [right] = newer;
    if (!left) tell(onlyNow(newer.shift()!));
    else if (!right) tell(onlyRecorded(older.shift()!));
    else if (left.key === right.key) {
      events++;
      const changed = compare(older.shift()!.event, newer.shift()!.event);
      if (changed) tell(changed);
    } else resync(left.key, right.key);
  }

  /** Goes on where the readings meet again soonest. */
  function resync(left: string, right: string): void {
    const inNewer = newer.findIndex(({ key }) => key === left);
    const inOlder = older.findIndex(({ key }) => key === right);
    if (inNewer >= 0 && (inOlder < 0 || inNewer <= inOlder)) {
      for (const event of newer.splice(0, inNewer)) tell(onlyNow(event));
    } else if (inOlder >= 0) {
      for (const event of older.splice(0, inOlder)) tell(onlyRecorded(event));
    } else {
      tell(onlyRecorded(older.shift()!));
      tell(onlyNow(newer.shift()!));
    }
  }

  function tell(difference: Difference): void {
    total++;
    if (differences.length < mostShown) differences.push(difference);
  }
}

/**
 * The key makes an event of one reading the counterpart of one in the other: what it is, and the bytes it is about.
 * Made once, because where readings differ every event is looked for in a whole window.
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

/** The cause of an event is a number that the journal gave, so no parser can know it. */
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
