import type { ExitFacts, OutputStream, Parser, ParserContext, RaspDraft } from '../protocol/index.ts';
import { createDrafter, type Drafter, UNREAD } from './drafter.ts';
import { LineCutter, type LineReceiver } from './line-cutter.ts';
import { createLineMatcher, type LinePattern } from './line-pattern.ts';
import { createRawBlocks } from './raw-blocks.ts';
import { fireUntil, type Timed } from './timed.ts';
import type { Unit } from './unit.ts';

const LINE_FEED = 0x0a;
/** Confidence in an error that is told by a line of plain text, not by an event of the engine. */
const PLAIN_LINE = 0.7;

/** What an engine's reader works with. */
export interface Surface {
  draft: Drafter;
  /** One or more lines without a meaning of their own: kept as `raw.*`, and looked through for known error lines. */
  raw(bytes: Buffer, unit: Unit): void;
  /** Something of the reader's own that waits for time to pass. */
  wait(timed: Timed): void;
}

/** An engine's understanding of its lines. Whatever it is given it must turn into at least one event. */
export interface LineReader {
  line(bytes: Buffer, unit: Unit): void;
  end(exit: ExitFacts): void;
  /** True while it puts lines of this stream together. */
  gathers?(stream: OutputStream): boolean;
  /** Bytes of this stream come that go raw without being read: a line that is too long. */
  interrupt?(stream: OutputStream): void;
}

export interface LineParserOptions {
  parser: string;
  confidence: number;
  patterns: readonly LinePattern[];
  open(surface: Surface): LineReader;
}

/** A parser for engines that print lines: cuts streams into lines, keeps raw ones in blocks, keeps time. */
export function createLineParser(context: ParserContext, options: LineParserOptions): Parser {
  const { parser, confidence, patterns } = options;
  let drafts: RaspDraft[] = [];
  const unread = { parser, confidence: UNREAD, session: () => draft.session, compared: true };
  const blocks = createRawBlocks(context, unread, (raw) => drafts.push(raw));
  const draft: Drafter = createDrafter(context, { parser, confidence }, (made) => {
    // What was printed before on the same stream comes first.
    blocks.close(made.source.stream as OutputStream);
    drafts.push(made);
  });
  const matchLine = createLineMatcher(patterns);
  const told = Math.min(confidence, PLAIN_LINE);
  const waiting: Timed[] = [blocks];
  const cutters: Partial<Record<OutputStream, LineCutter>> = {};
  const surface: Surface = { draft, raw, wait: (timed) => void waiting.push(timed) };
  const reader = options.open(surface);
  const receiver: LineReceiver = {
    line: (bytes, unit) => reader.line(bytes, unit),
    part: (bytes, unit) => {
      reader.interrupt?.(unit.stream);
      raw(bytes, unit);
    },
    rest: keep,
    gathers: (stream) => reader.gathers?.(stream) ?? false,
    tooLong: (unit) => draft.warning('LINE_TOO_LONG', unit, { bytes: unit.to - unit.from }),
  };

  function keep(bytes: Buffer, { stream, from, time }: Unit): void {
    blocks.push(stream, from, bytes, time);
  }

  function raw(bytes: Buffer, unit: Unit): void {
    keep(bytes, unit);
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, from);
      const to = end < 0 ? bytes.length : end + 1;
      const found = matchLine(unit.stream, bytes.subarray(from, to));
      if (found) draft.withConfidence(told, () => draft.error(found.code, found.message, unit, found.facts));
      from = to;
    }
  }

  function cutterOf(stream: OutputStream): LineCutter {
    const known = cutters[stream];
    if (known) return known;
    const cutter = new LineCutter(stream, context.origin[stream] ?? 0, receiver);
    cutters[stream] = cutter;
    waiting.push(cutter);
    return cutter;
  }

  function take(): RaspDraft[] {
    const taken = drafts;
    drafts = [];
    return taken;
  }

  return {
    push(stream, bytes, time) {
      fireUntil(waiting, time);
      cutterOf(stream).push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), time);
      return take();
    },
    tick(time) {
      fireUntil(waiting, time);
      return take();
    },
    /** As if time went on: the same events, whether or not the clock ticked between the last byte and the end. */
    end(exit) {
      fireUntil(waiting, Number.POSITIVE_INFINITY);
      for (const stream of ['stdout', 'stderr', 'pty'] as const) cutters[stream]?.end();
      reader.end(exit);
      fireUntil(waiting, Number.POSITIVE_INFINITY);
      return take();
    },
  };
}
