import { type ByteRange, type RaspEvent, type RawRef, type RawType, utf8Length } from '../protocol/index.ts';

export type RawEvent = RaspEvent<RawType>;

/** A `raw.*` event on its way through echo suppression, which may take lines out of it. */
export interface RawBlock {
  event: RawEvent;
  text: string;
  /** The text is all there is. Otherwise it is the beginning, and its lines cannot be compared. */
  isWhole: boolean;
  /** Of the text in UTF-8. */
  bytes: number;
  /** A place in the text whose byte offset is known. Places are asked for in order, so nothing is measured twice. */
  mark: { at: number; byte: number };
}

/** Part of a block's text: `[from, to)`, whole lines but for the last one of a block. */
export interface Segment {
  block: RawBlock;
  from: number;
  to: number;
  lines: number;
}

/** `whole`: the text of an event that shows the beginning only. */
export function rawBlock(event: RawEvent, whole: string | undefined): RawBlock {
  const text = whole ?? event.data.text;
  const isWhole = whole !== undefined || !event.data.truncated;
  return { event, text, isWhole, bytes: utf8Length(text), mark: { at: 0, byte: 0 } };
}

/** False if the bytes of `next` do not follow those of `block`; true if that is unknown. */
export function areContiguous(block: RawBlock, next: RawBlock): boolean {
  const range = singleRange(block.event.raw_ref);
  const nextRange = singleRange(next.event.raw_ref);
  return range === null || nextRange === null || range.byte_to === nextRange.byte_from;
}

/** The bytes from a place in one block to a place in the same or a later, contiguous one. */
export function bytesBetween(first: { block: RawBlock; at: number }, last: { block: RawBlock; at: number }): RawRef {
  const from = narrow(first.block, first.at, first.block.text.length);
  const to = first.block === last.block ? narrow(last.block, first.at, last.at) : narrow(last.block, 0, last.at);
  if (from === null || to === null) return first.block.event.raw_ref;
  return { ...from, byte_to: to.byte_to };
}

/** Whether places in the text are places in the bytes: its text is their UTF-8. */
export function hasExactBytes(block: RawBlock): boolean {
  const range = singleRange(block.event.raw_ref);
  return range !== null && range.byte_to - range.byte_from === block.bytes;
}

/** The range of part of a block; of all of it where characters cannot be counted in bytes, null without a range. */
function narrow(block: RawBlock, from: number, to: number): ByteRange | null {
  const range = singleRange(block.event.raw_ref);
  if (range === null || range.byte_to - range.byte_from !== block.bytes) return range;
  const byte_from = range.byte_from + byteOffset(block, from);
  return { ...range, byte_from, byte_to: range.byte_from + byteOffset(block, to) };
}

function byteOffset(block: RawBlock, at: number): number {
  const { text, bytes } = block;
  if (at === text.length) return bytes;
  if (bytes === text.length) return at;
  const { mark } = block;
  const known = at >= mark.at ? mark : { at: 0, byte: 0 };
  block.mark = { at, byte: known.byte + utf8Length(text.slice(known.at, at)) };
  return block.mark.byte;
}

function singleRange(ref: RawRef): ByteRange | null {
  return ref === null || Array.isArray(ref) ? null : ref;
}
