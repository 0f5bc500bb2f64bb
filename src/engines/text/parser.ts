import type { ExitFacts, OutputStream, Parser, ParserContext, RaspDraft } from '../../protocol/index.ts';
import { showBytes } from '../show-bytes.ts';

/**
 * Any command: no structure is assumed. Lines become `raw.*` events, coalesced into blocks: contiguous lines of one
 * stream within 50 ms of the first one, at most 64 KiB. A line without an end, such as a prompt, waits a
 * second for the rest of itself. All of this is decided by byte times, never by how the bytes were cut into chunks.
 */
export const TEXT_PARSER = 'text';
export const TEXT_PARSER_VERSION = '1';

const BLOCK_MS = 50;
const PARTIAL_LINE_MS = 1000;
const BLOCK_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Bytes of one stream that are not yet in an event. */
interface Block {
  stream: OutputStream;
  /** Offset of the first byte in the stream. */
  from: number;
  bytes: Buffer;
  length: number;
  /** Where the line that has no end yet begins, inside the block. */
  partialFrom: number;
  lines: number;
  /** Time of the first byte that ends a line. */
  firstLineTime: number;
  partialTime: number;
  lastTime: number;
  /** Time of the last byte that ends a line; what an event of whole lines carries. */
  lastLineTime: number;
}

export function createTextParser(context: ParserContext): Parser {
  const blocks: Record<OutputStream, Block> = {
    stdout: emptyBlock('stdout', context.origin.stdout),
    stderr: emptyBlock('stderr', context.origin.stderr),
    pty: emptyBlock('pty', context.origin.pty),
  };
  const all = Object.values(blocks);

  function push(stream: OutputStream, bytes: Uint8Array, time: number): RaspDraft[] {
    const drafts = tick(time);
    const block = blocks[stream];
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(bytes.length, from + BLOCK_BYTES - block.length);
      append(block, bytes.subarray(from, to), time);
      from = to;
      if (block.length === BLOCK_BYTES) drafts.push(...overflow(block));
    }
    return drafts;
  }

  /** Closes, in the order in which their time ran out, the blocks whose time is over before `time`. */
  function tick(time: number): RaspDraft[] {
    const drafts: RaspDraft[] = [];
    for (;;) {
      let due: Block | null = null;
      for (const block of all) {
        if (block.length === 0 || deadline(block) >= time) continue;
        if (due === null || deadline(block) < deadline(due)) due = block;
      }
      if (due === null) return drafts;
      drafts.push(due.lines > 0 ? closeLines(due) : closeAll(due));
    }
  }

  /** As if time went on: the same events, whether or not the clock ticked between the last byte and the end. */
  function end(_exit: ExitFacts): RaspDraft[] {
    return tick(Number.POSITIVE_INFINITY);
  }

  /** A full block: its whole lines go; a line as long as the block goes in pieces, cut between characters. */
  function overflow(block: Block): RaspDraft[] {
    if (block.lines > 0) return [closeLines(block)];
    const draft = close(block, characterBoundary(block.bytes, block.length), block.lastTime);
    // What is left of a cut character begins to wait now; the line it belongs to may be old.
    block.partialTime = block.lastTime;
    return [draft];
  }

  function closeLines(block: Block): RaspDraft {
    return close(block, block.partialFrom, block.lastLineTime);
  }

  function closeAll(block: Block): RaspDraft {
    return close(block, block.length, block.lastTime);
  }

  function close(block: Block, length: number, time: number): RaspDraft {
    const { stream, from, lines } = block;
    const shown = showBytes(block.bytes.subarray(0, length));
    const unended = length > block.partialFrom ? 1 : 0;
    const draft = {
      ts: new Date(Math.floor(time)).toISOString(),
      attempt_number: context.attempt,
      source: { engine: context.engine, parser: TEXT_PARSER, stream, confidence: 1 },
      event: { category: 'raw', type: `raw.${stream}` },
      data: { ...shown, lines: lines + unended, ...(lines + unended > 1 ? { coalesced: true } : {}) },
      correlation: {},
      raw_ref: { attempt_number: context.attempt, stream, byte_from: from, byte_to: from + length },
    } as RaspDraft;
    keepRest(block, length);
    return draft;
  }

  return { push, tick, end };
}

function emptyBlock(stream: OutputStream, from = 0): Block {
  const bytes = Buffer.allocUnsafe(BLOCK_BYTES);
  const times = { firstLineTime: 0, partialTime: 0, lastTime: 0, lastLineTime: 0 };
  return { stream, from, bytes, length: 0, partialFrom: 0, lines: 0, ...times };
}

/** Adds bytes that were all read at one time; they fit into the block. */
function append(block: Block, bytes: Uint8Array, time: number): void {
  if (block.length === block.partialFrom) block.partialTime = time;
  block.bytes.set(bytes, block.length);
  let lineTo = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, lineTo)) {
    if (block.lines === 0) block.firstLineTime = time;
    block.lines++;
    lineTo = end + 1;
  }
  if (lineTo > 0) {
    block.partialFrom = block.length + lineTo;
    block.lastLineTime = time;
    // The line that has no end yet began with these bytes.
    block.partialTime = time;
  }
  block.length += bytes.length;
  block.lastTime = time;
}

/** Whole lines wait for more lines; a line without an end waits longer, for the rest of itself. */
function deadline(block: Block): number {
  return block.lines > 0 ? block.firstLineTime + BLOCK_MS : block.partialTime + PARTIAL_LINE_MS;
}

/** The first `length` bytes are in an event; the rest, part of one line, starts the next block. */
function keepRest(block: Block, length: number): void {
  block.bytes.copyWithin(0, length, block.length);
  block.from += length;
  block.length -= length;
  block.partialFrom = 0;
  block.lines = 0;
}

/** The largest length that does not cut a UTF-8 character; all of it when the bytes are not UTF-8 there. */
function characterBoundary(bytes: Buffer, length: number): number {
  for (let back = 1; back <= 4 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? length - back : length;
  }
  return length;
}
