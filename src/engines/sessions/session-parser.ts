import type { Parser, ParserContext } from '../../protocol/index.ts';
import type { JsonObject } from '../json-value.ts';
import { createLineParser, type LineReader, type Surface } from '../line-parser.ts';
import { createMisreadReport } from '../misread-report.ts';
import { type EventReader, parseObject } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';

export interface SessionDialect {
  parser: string;
  timeOf(entry: JsonObject): number | null;
  open(surface: Surface, context: ParserContext): EventReader;
}

const CONFIDENCE = 0.95;
/** Entries before the first one with a time wait for it, up to this many bytes. */
const MAX_HELD_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const BRACE = 0x7b;

/** A parser for session files. Its time is that of the entries; when the bytes were read does not matter. */
export function createSessionParser(context: ParserContext, dialect: SessionDialect): Parser {
  const clock: EntryClock = { time: null };
  const inner = createLineParser(
    { ...context, imported: true },
    {
      parser: dialect.parser,
      confidence: CONFIDENCE,
      patterns: [],
      open: (surface) => readEntries(surface, dialect.open(surface, context), clock, dialect.timeOf),
    },
  );
  return {
    push(stream, bytes, time) {
      // Line by line, because the time changes with each.
      const drafts = [];
      for (let from = 0; from < bytes.length; ) {
        const end = bytes.indexOf(LINE_FEED, from);
        const to = end < 0 ? bytes.length : end + 1;
        for (const draft of inner.push(stream, bytes.subarray(from, to), clock.time ?? time)) drafts.push(draft);
        from = to;
      }
      return drafts;
    },
    tick: () => [],
    end: (exit) => inner.end(exit),
  };
}

/** The time of the last entry that has one; it never goes back. */
interface EntryClock {
  time: number | null;
}

interface Line {
  entry: JsonObject | null;
  bytes: Buffer;
  unit: Unit;
}

function readEntries(
  surface: Surface,
  reader: EventReader,
  clock: EntryClock,
  timeOf: SessionDialect['timeOf'],
): LineReader {
  const report = createMisreadReport(surface);
  let held: Line[] = [];
  let heldBytes = 0;

  function read({ entry, bytes, unit }: Line, time: number): void {
    const timed = { ...unit, time };
    if (!entry) {
      surface.raw(bytes, timed);
      if (bytes[0] === BRACE) surface.draft.warning('UNPARSED_CONTENT', timed, { problem: 'not JSON' });
      return;
    }
    report(reader.event(entry, timed), bytes, timed);
  }

  function release(time: number): void {
    for (const line of held) read(line, time);
    held = [];
    heldBytes = 0;
  }

  return {
    line(bytes, unit) {
      const entry = parseObject(bytes.toString());
      const own = entry && timeOf(entry);
      if (own !== null) clock.time = Math.max(clock.time ?? own, own);
      if (clock.time !== null) {
        release(clock.time);
        read({ entry, bytes, unit }, clock.time);
        return;
      }
      held.push({ entry, bytes: Buffer.from(bytes), unit });
      heldBytes += bytes.length;
      if (heldBytes > MAX_HELD_BYTES) release(unit.time);
    },
    interrupt: () => release(clock.time ?? held.at(-1)?.unit.time ?? 0),
    end({ time }) {
      release(time);
      reader.end();
    },
  };
}
