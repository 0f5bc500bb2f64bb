import {
  characterBoundary,
  DONE_SIGNAL,
  keepOutput,
  MAX_RAW_BYTES,
  type OutputStream,
  type ParserContext,
  type RaspDraft,
  rawPreview,
  rawText,
} from '../protocol/index.ts';
import type { Timed } from './timed.ts';

const BLOCK_MS = 50;
const PARTIAL_LINE_MS = 1000;
const LINE_FEED = 0x0a;
const STREAMS = ['stdout', 'stderr', 'pty'] as const;

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

export interface RawBlocks extends Timed {
  /** Bytes that stand at `from` in the stream's file, all read at `time`. */
  push(stream: OutputStream, from: number, bytes: Uint8Array, time: number): void;
  /** Something else of this stream comes now: what is gathered goes first. */
  close(stream: OutputStream): void;
}

interface RawSource {
  parser: string;
  confidence: number;
  session?: () => string | null;
  /** Lines of the output are compared with messages of the engine. */
  compared?: boolean;
}

/**
 * Bytes without structure become `raw.*` events, coalesced into blocks: contiguous lines of one stream within 50 ms of
 * the first one, at most 64 KiB. A line without an end, such as a prompt, waits a second for the rest of itself. All of
 * this is decided by byte times, never by how the bytes were cut into chunks. Of a long block an event shows the
 * beginning; `raw_ref` has all of it.
 */
export function createRawBlocks(
  context: ParserContext,
  source: RawSource,
  emit: (draft: RaspDraft) => void,
): RawBlocks {
  const blocks: Partial<Record<OutputStream, Block>> = {};
  const all: Block[] = [];

  function push(stream: OutputStream, from: number, bytes: Uint8Array, time: number): void {
    const block = blockOf(stream);
    if (block.length > 0 && block.from + block.length !== from) close(stream);
    if (block.length === 0) block.from = from;
    for (let at = 0; at < bytes.length; ) {
      const to = Math.min(bytes.length, at + MAX_RAW_BYTES - block.length);
      append(block, bytes.subarray(at, to), time);
      at = to;
      if (block.length === MAX_RAW_BYTES) overflow(block);
    }
  }

  function blockOf(stream: OutputStream): Block {
    const known = blocks[stream];
    if (known) return known;
    const block = emptyBlock(stream);
    blocks[stream] = block;
    // Where two are due at once the order is always the same, whichever stream was first to print.
    all.splice(0, all.length, ...STREAMS.flatMap((name) => blocks[name] ?? []));
    return block;
  }

  function dueBlock(): Block | null {
    let due: Block | null = null;
    for (const block of all) {
      if (block.length > 0 && (due === null || deadline(block) < deadline(due))) due = block;
    }
    return due;
  }

  /** A full block: its whole lines go; a line as long as the block goes in pieces, cut between characters. */
  function overflow(block: Block): void {
    if (block.lines > 0) {
      closeLines(block);
      return;
    }
    give(block, characterBoundary(block.bytes, block.length), block.lastTime);
    // What is left of a cut character begins to wait now; the line it belongs to may be old.
    block.partialTime = block.lastTime;
  }

  function closeLines(block: Block): void {
    give(block, block.partialFrom, block.lastLineTime);
  }

  function closeAll(block: Block): void {
    give(block, block.length, block.lastTime);
  }

  function close(stream: OutputStream): void {
    const block = blocks[stream];
    if (!block || block.length === 0) return;
    if (block.lines > 0) closeLines(block);
    if (block.length > 0) closeAll(block);
  }

  function give(block: Block, length: number, time: number): void {
    const { stream, from, lines } = block;
    const bytes = block.bytes.subarray(0, length);
    // The end of an attempt is decided by events alone, so the line that tells of it is in one.
    const shown = bytes.includes(DONE_SIGNAL) ? rawText(bytes) : rawPreview(bytes);
    const unended = length > block.partialFrom ? 1 : 0;
    const data = { ...shown, lines: lines + unended, ...(lines + unended > 1 ? { coalesced: true } : {}) };
    if (shown.truncated && source.compared) keepOutput(data, Buffer.from(bytes));
    const session = source.session?.() ?? null;
    emit({
      ts: new Date(Math.floor(time)).toISOString(),
      attempt_number: context.attempt,
      source: { engine: context.engine, parser: source.parser, stream, confidence: source.confidence },
      event: { category: 'raw', type: `raw.${stream}` },
      data,
      correlation: session === null ? {} : { session_id: session },
      raw_ref: { attempt_number: context.attempt, stream, byte_from: from, byte_to: from + length },
    } as RaspDraft);
    keepRest(block, length);
  }

  return {
    push,
    close,
    deadline() {
      const due = dueBlock();
      return due === null ? Number.POSITIVE_INFINITY : deadline(due);
    },
    fire() {
      const due = dueBlock();
      if (due === null) return;
      if (due.lines > 0) closeLines(due);
      else closeAll(due);
    },
  };
}

function emptyBlock(stream: OutputStream): Block {
  const bytes = Buffer.allocUnsafe(MAX_RAW_BYTES);
  const times = { firstLineTime: 0, partialTime: 0, lastTime: 0, lastLineTime: 0 };
  return { stream, from: 0, bytes, length: 0, partialFrom: 0, lines: 0, ...times };
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
