import type { OutputStream, Parser, ParserContext, RaspDraft } from '../../protocol/index.ts';
import { createDrafter, type Drafter, UNREAD } from '../drafter.ts';
import { matchLine } from '../line-pattern.ts';
import { createRawBlocks } from '../raw-blocks.ts';
import { fireUntil } from '../timed.ts';
import type { Unit } from '../unit.ts';
import { createInfoFinder, type InfoFinder } from './info-finder.ts';
import { createLineReader } from './line-reader.ts';
import { createMessage, type Message } from './message.ts';
import { IFLOW_PATTERNS } from './patterns.ts';
import type { Piece } from './piece.ts';
import { createRound } from './round.ts';
import { TextCutter } from './text-cutter.ts';

const STREAMS = ['stdout', 'stderr', 'pty'] as const;
/** The answer is on stdout, so it is the last word. */
const ORDER_OF_MESSAGES = ['stderr', 'stdout', 'pty'] as const;

interface Stream {
  cutter: TextCutter;
  finder: InfoFinder;
  message: Message;
}

/** Reads what an engine without a protocol prints: prose, with a block of execution info somewhere. */
export function readRound(context: ParserContext, source: { parser: string; confidence: number }): Parser {
  let drafts: RaspDraft[] = [];
  let lastTime = 0;
  const now = () => lastTime;
  const drifted = new Set<string>();
  const unread = { parser: source.parser, confidence: UNREAD, session: () => draft.session };
  const blocks = createRawBlocks(context, unread, (raw) => drafts.push(raw));
  const draft: Drafter = createDrafter(context, source, (made) => {
    // What was printed before on the same stream comes first.
    blocks.close(made.source.stream as OutputStream);
    drafts.push(made);
  });
  const round = createRound({ draft, keep, drift, now, finishMessages });
  // All at once: where two waits end at the same time, the order must not depend on which stream was first to print.
  const streams = Object.fromEntries(STREAMS.map((stream) => [stream, openStream(stream)])) as Record<
    OutputStream,
    Stream
  >;
  const waiting = [blocks, ...STREAMS.map((stream) => streams[stream].message), round];

  function openStream(stream: OutputStream): Stream {
    const message = createMessage(stream, {
      draft,
      keep,
      now,
      onTold: (unit) => drift('message', 'stdout', unit),
      ending: () => round.ending,
    });
    const finder = createInfoFinder({
      text: createLineReader({ draft, message, keep, keepNoise }),
      info(piece, closed) {
        message.close();
        round.info(piece, closed);
      },
    });
    const cutter = new TextCutter(stream, context.origin[stream] ?? 0, {
      piece: (piece) => finder.line(piece),
      tooLong: ({ unit }) => draft.warning('LINE_TOO_LONG', unit, { bytes: unit.to - unit.from }),
    });
    return { cutter, finder, message };
  }

  function keep({ bytes, unit }: Piece): void {
    blocks.push(unit.stream, unit.from, bytes, unit.time);
    // Older bytes have waited already; a wait that is over must not end at a time that depends on chunks.
    if (unit.time < lastTime) blocks.close(unit.stream);
  }

  function keepNoise(piece: Piece): void {
    keep(piece);
    const found = matchLine(IFLOW_PATTERNS, piece.bytes);
    if (found) draft.error(found.code, found.message, piece.unit, found.facts);
  }

  function drift(what: string, usual: OutputStream, unit: Unit): void {
    if (unit.stream === usual || unit.stream === 'pty' || drifted.has(what)) return;
    drifted.add(what);
    draft.warning('CHANNEL_DRIFT', unit, { what, usual, found: unit.stream });
  }

  function finishMessages(): void {
    for (const stream of STREAMS) streams[stream].cutter.release();
    for (const stream of ORDER_OF_MESSAGES) streams[stream].message.finish();
  }

  function take(): RaspDraft[] {
    const taken = drafts;
    drafts = [];
    return taken;
  }

  return {
    push(stream, bytes, time) {
      fireUntil(waiting, time);
      if (bytes.length > 0) lastTime = time;
      streams[stream].cutter.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), time);
      return take();
    },
    tick(time) {
      fireUntil(waiting, time);
      return take();
    },
    /** As if time went on: the same events, whether or not the clock ticked between the last byte and the end. */
    end() {
      fireUntil(waiting, Number.POSITIVE_INFINITY);
      for (const stream of STREAMS) {
        streams[stream].cutter.release();
        streams[stream].finder.end();
      }
      round.end();
      fireUntil(waiting, Number.POSITIVE_INFINITY);
      return take();
    },
  };
}
