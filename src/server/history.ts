import type { JournalLine, ReadRange } from '../journal/index.ts';
import type { HistoryQuery } from './schemas.ts';
import { DELTA_TYPES, type EventSource } from './streams/event-source.ts';

/** A page ends here even if the client asked for more events. A single larger event still makes a page. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Reads the lines of a time range; null if the source has no index by time. */
type ReadByTime = ((range: ReadRange) => AsyncIterable<JournalLine[]>) | null;

/** One page of a run's events as JSON, built from their stored bytes. */
export async function readPage(source: EventSource, query: HistoryQuery, readByTime: ReadByTime): Promise<Buffer> {
  const { from_seq = 1, cursor = 0, to_seq = Number.POSITIVE_INFINITY, limit } = query;
  const afterSeq = Math.max(from_seq - 1, cursor);
  const { seq: total } = await source.head();
  const wanted = createFilter(source, query, readByTime !== null);
  const inTime = query.from_ts !== undefined || query.to_ts !== undefined;
  const batches =
    inTime && readByTime ? readByTime({ afterSeq, fromTs: query.from_ts, toTs: query.to_ts }) : source.read(afterSeq);
  const page: Buffer[] = [];
  let bytes = 0;
  let seen = 0;
  for await (const lines of batches) {
    for (const line of lines) {
      if (line.seq > to_seq) return join(page, null, total);
      if (!wanted(line)) {
        seen = line.seq;
        continue;
      }
      if (page.length >= limit || (page.length > 0 && bytes + line.bytes.length > PAGE_BYTES)) {
        return join(page, seen, total);
      }
      page.push(line.bytes);
      bytes += line.bytes.length;
      seen = line.seq;
    }
  }
  return join(page, null, total);
}

function createFilter(
  source: EventSource,
  query: HistoryQuery,
  timesAreRight: boolean,
): (line: JournalLine) => boolean {
  const types = query.type?.split(',').filter(Boolean);
  const deltas = query.deltas === '1';
  const from = timesAreRight || query.from_ts === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.from_ts);
  const to = timesAreRight || query.to_ts === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.to_ts);
  const anyTime = from === Number.NEGATIVE_INFINITY && to === Number.POSITIVE_INFINITY;
  return (line) => {
    const type = source.typeOf(line);
    if (types ? !types.some((wanted) => matches(type, wanted)) : !deltas && DELTA_TYPES.has(type)) return false;
    if (anyTime) return true;
    const time = timeOf(line);
    return time >= from && time <= to;
  };
}

function matches(type: string, wanted: string): boolean {
  return type === wanted || type.startsWith(wanted.endsWith('.') ? wanted : `${wanted}.`);
}

const TS_MEMBER = Buffer.from('"ts":"');

/** The envelope's `ts` comes before anything that the engine printed. */
function timeOf({ bytes }: JournalLine): number {
  const from = bytes.indexOf(TS_MEMBER) + TS_MEMBER.length;
  return Date.parse(bytes.toString('latin1', from, bytes.indexOf('"', from)));
}

function join(page: readonly Buffer[], next: number | null, total: number): Buffer {
  const comma = Buffer.from(',');
  const parts = page.flatMap((bytes, index) => (index === 0 ? [bytes] : [comma, bytes]));
  return Buffer.concat([
    Buffer.from('{"events":['),
    ...parts,
    Buffer.from(`],"next_cursor":${next},"total":${total}}`),
  ]);
}
