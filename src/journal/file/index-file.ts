import { crc32 } from 'node:zlib';
import { openRegularHandle } from '../../files/index.ts';
import { LINE_ENDING_BYTES } from '../../record/chain.ts';
import { errnoOf } from './file-errors.ts';
import type { Log, Position } from './log-file.ts';

/**
 * `events.idx`: where the blocks of the log end. Derived: it may be missing, behind, torn or wrong at any time, and costs
 * time then, never a wrong answer. A header and then records of 48 bytes, all little-endian:
 *
 *     0  float64  seq of the block's last event
 *     8  float64  byte offset where the block ends
 *    16  float64  smallest ts in the block, ms since the epoch (Infinity when no ts could be read)
 *    24  float64  largest ts (-Infinity likewise)
 *    32  12 bytes start of the last event's chain value: ties the record to this content of the log and no other
 *    44  uint32   crc32 of the bytes before, seeded with the previous record's (the header's for the first)
 */
export const RECORD_BYTES = 48;
const CHAIN_BYTES = 12;
const CHAIN_AT = 32;
const CRC_AT = 44;
/** Of a log of hundreds of gigabytes: what is larger is not an index. */
const LARGEST_INDEX_BYTES = 256 * 1024 * 1024;

export const INDEX_HEADER = Buffer.alloc(RECORD_BYTES);
INDEX_HEADER.write('tacho-events-index/1\n');

interface BlockEnd {
  seq: number;
  offset: number;
  minTs: number;
  maxTs: number;
  /** 64 hex digits. */
  chain: string;
}

/** The records a reader may rely on. Record numbers start at 1; number 0 is the start of the log. */
export interface IndexTable {
  count: number;
  position(number: number): Position;
  minTs(number: number): number;
  maxTs(number: number): number;
  /** What the next record's crc is seeded with. */
  crc: number;
}

/** Bytes of a record and the seed for the next one. */
export function encodeRecord(block: BlockEnd, seed: number): { bytes: Buffer; crc: number } {
  const bytes = Buffer.alloc(RECORD_BYTES);
  bytes.writeDoubleLE(block.seq, 0);
  bytes.writeDoubleLE(block.offset, 8);
  bytes.writeDoubleLE(block.minTs, 16);
  bytes.writeDoubleLE(block.maxTs, 24);
  bytes.write(block.chain.slice(0, CHAIN_BYTES * 2), CHAIN_AT, 'hex');
  const crc = crc32(bytes.subarray(0, CRC_AT), seed);
  bytes.writeUInt32LE(crc, CRC_AT);
  return { bytes, crc };
}

/** Reads the index and keeps the part of it that is whole and belongs to this log. */
export async function loadIndex(log: Log): Promise<IndexTable> {
  const content = await readWhole(log.indexPath);
  const view = new DataView(content.buffer, content.byteOffset, content.length);
  const at = (number: number) => number * RECORD_BYTES; // the header has the size of a record, so record 1 follows it
  const position = (number: number): Position =>
    number === 0
      ? { seq: 0, offset: 0 }
      : { seq: view.getFloat64(at(number), true), offset: view.getFloat64(at(number) + 8, true) };

  const crcs = wholeRecords(content);
  const count = await lastThat(crcs.length - 1, (number) =>
    endsBlock(log, position(number).offset, content.subarray(at(number) + CHAIN_AT, at(number) + CRC_AT)),
  );
  return {
    count,
    position,
    minTs: (number) => view.getFloat64(at(number) + 16, true),
    maxTs: (number) => view.getFloat64(at(number) + 24, true),
    crc: crcs[count] ?? crc32(INDEX_HEADER),
  };
}

/** The crc after the header and after each record up to the first one that is torn or wrong; empty without a header. */
function wholeRecords(content: Buffer): number[] {
  if (content.length < RECORD_BYTES || !content.subarray(0, RECORD_BYTES).equals(INDEX_HEADER)) return [];
  let crc = crc32(INDEX_HEADER);
  const crcs = [crc];
  for (let at = RECORD_BYTES; at + RECORD_BYTES <= content.length; at += RECORD_BYTES) {
    crc = crc32(content.subarray(at, at + CRC_AT), crc);
    if (content.readUInt32LE(at + CRC_AT) !== crc) break;
    crcs.push(crc);
  }
  return crcs;
}

/** The last number from 1 to `highest` that holds, given that those before it do too; 0 when none does. */
async function lastThat(highest: number, holds: (number: number) => Promise<boolean>): Promise<number> {
  let low = 0;
  for (let high = highest, probe = highest; low < high; probe = (low + high + 1) >> 1) {
    if (await holds(probe)) low = probe;
    else high = probe - 1;
  }
  return low;
}

/** True when the log has, right before `offset`, the end of the very line the record was made for. */
async function endsBlock(log: Log, offset: number, chainStart: Buffer): Promise<boolean> {
  if (!Number.isSafeInteger(offset) || offset < LINE_ENDING_BYTES) return false;
  const ending = Buffer.alloc(LINE_ENDING_BYTES);
  const { bytesRead } = await log.handle.read(ending, 0, ending.length, offset - ending.length);
  return (
    bytesRead === ending.length &&
    ending.toString('latin1', 0, CHAIN_BYTES * 2) === chainStart.toString('hex') &&
    ending.toString('latin1', LINE_ENDING_BYTES - 3) === '"}\n'
  );
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    const handle = await openRegularHandle(path);
    try {
      const { size } = await handle.stat();
      return size > LARGEST_INDEX_BYTES ? Buffer.alloc(0) : await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // An index that cannot be read is as good as none.
    if (errnoOf(error) !== undefined) return Buffer.alloc(0);
    throw error;
  }
}
