import { closeSync, ftruncateSync, writeSync } from 'node:fs';
import { openRegularFile } from '../../files/index.ts';
import { statedChain } from '../../record/chain.ts';
import { readLineHead } from '../../record/line-head.ts';
import { encodeRecord, INDEX_HEADER, loadIndex, RECORD_BYTES } from './index-file.ts';
import type { Log, Position } from './log-file.ts';
import { scan } from './scan.ts';

const BLOCK_BYTES = 64 * 1024;
const BLOCK_EVENTS = 256;

/** An event the log already holds. */
export interface KeptEvent {
  readonly seq: number;
  readonly ts: string;
  /** Read only of the last event of a block. */
  readonly chain: string;
}

/** Keeps `events.idx` up with the log. It can stop working (a full disk, a damaged log) but never fail an append. */
export class IndexWriter {
  #fd: number;
  #size: number;
  #crc: number;
  #blockFrom: Position;
  #lastTs = '';
  #minTs = Number.POSITIVE_INFINITY;
  #maxTs = Number.NEGATIVE_INFINITY;
  #pending: Buffer[] = [];

  private constructor(fd: number, records: number, crc: number, blockFrom: Position) {
    this.#fd = fd;
    this.#size = (records + 1) * RECORD_BYTES;
    this.#crc = crc;
    this.#blockFrom = blockFrom;
  }

  /** Opens the index, drops what cannot be relied on and adds what is missing. Null when that does not work out. */
  static async open(log: Log): Promise<IndexWriter | null> {
    const table = await loadIndex(log);
    let fd: number | null = null;
    try {
      fd = openRegularFile(log.indexPath, 'update');
      writeSync(fd, INDEX_HEADER, 0, INDEX_HEADER.length, 0);
      ftruncateSync(fd, (table.count + 1) * RECORD_BYTES);
      const writer = new IndexWriter(fd, table.count, table.crc, table.position(table.count));
      for await (const lines of scan(log, table.position(table.count), { reuse: { bytes: null } })) {
        for (const { bytes, byteTo } of lines) {
          const { seq, ts } = readLineHead(bytes, log.lineStart)!;
          const event: KeptEvent = {
            seq,
            ts,
            get chain() {
              return statedChain(bytes) ?? '';
            },
          };
          writer.note(event, byteTo);
        }
        writer.flush();
      }
      return writer;
    } catch {
      if (fd !== null) closeSync(fd);
      return null;
    }
  }

  /** `offset`: where the line of the event ends in the log. */
  note(event: KeptEvent, offset: number): void {
    this.#noteTime(event.ts);
    const { seq } = event;
    if (offset - this.#blockFrom.offset < BLOCK_BYTES && seq - this.#blockFrom.seq < BLOCK_EVENTS) return;
    const block = { seq, offset, chain: event.chain, minTs: this.#minTs, maxTs: this.#maxTs };
    const record = encodeRecord(block, this.#crc);
    this.#pending.push(record.bytes);
    this.#crc = record.crc;
    this.#blockFrom = { seq, offset };
    this.#lastTs = '';
    this.#minTs = Number.POSITIVE_INFINITY;
    this.#maxTs = Number.NEGATIVE_INFINITY;
  }

  #noteTime(ts: string): void {
    // Events of bytes that were read together have one time.
    if (ts === this.#lastTs) return;
    this.#lastTs = ts;
    const time = Date.parse(ts);
    if (time < this.#minTs) this.#minTs = time;
    if (time > this.#maxTs) this.#maxTs = time;
  }

  /** Writes the records of the blocks that ended. Call it after the log has their lines. */
  flush(): void {
    if (this.#pending.length === 0 || this.#fd === -1) return;
    const records = Buffer.concat(this.#pending);
    this.#pending = [];
    try {
      const written = writeSync(this.#fd, records, 0, records.length, this.#size);
      if (written < records.length) this.close();
      this.#size += written;
    } catch {
      // Readers do without, and the next claim makes up for it; a record after a gap would be worse than none.
      this.close();
    }
  }

  close(): void {
    if (this.#fd !== -1) closeSync(this.#fd);
    this.#fd = -1;
  }
}
