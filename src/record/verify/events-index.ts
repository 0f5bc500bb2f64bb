import { EVENTS_INDEX_FILE } from '../../protocol/index.ts';
import { type RecordFiles, withFile } from '../record-files.ts';
import { type Problem, problem } from './checking.ts';

/** See journal/file/index-file.ts, which reads and writes it. */
const HEADER = 'tacho-events-index/1\n';
const RECORD_BYTES = 48;
const CHAIN_AT = 32;
const CHAIN_BYTES = 12;
const MAX_INDEX_BYTES = 256 * 1024 * 1024;

/** An event with the position of its line. */
interface Indexed {
  seq: number;
  byteTo: number;
  chain: string;
  ts: string;
}

/**
 * `events.idx` tells readers where to find an event or a time. It is not sealed, and a forged one could hide events, so
 * each of its records is compared with the log.
 */
export class EventsIndex {
  readonly #records: DataView;
  #next = 1;
  #minTs = Number.POSITIVE_INFINITY;
  #maxTs = Number.NEGATIVE_INFINITY;

  private constructor(content: Uint8Array) {
    const header = new TextDecoder().decode(content.subarray(0, HEADER.length));
    // Readers ignore an unknown format.
    const known = header === HEADER ? content : new Uint8Array(0);
    this.#records = new DataView(known.buffer, known.byteOffset, known.length);
  }

  static async open(files: RecordFiles): Promise<EventsIndex> {
    const read = async (content: Uint8Array | undefined) => new EventsIndex(content ?? new Uint8Array(0));
    return withFile(files, EVENTS_INDEX_FILE, async (file) =>
      // Readers also ignore a file that is too large.
      read(file && file.size <= MAX_INDEX_BYTES ? await file.read(0, file.size) : undefined),
    );
  }

  /** The next event of the log. */
  take(event: Indexed): void {
    const time = Date.parse(event.ts);
    if (time < this.#minTs) this.#minTs = time;
    if (time > this.#maxTs) this.#maxTs = time;
    if (!this.#fits(event)) return;
    this.#next++;
    this.#minTs = Number.POSITIVE_INFINITY;
    this.#maxTs = Number.NEGATIVE_INFINITY;
  }

  /** The problem found, after the last event. */
  get problem(): Problem | null {
    const whole = Math.floor(this.#records.byteLength / RECORD_BYTES);
    return this.#next >= whole
      ? null
      : problem('changed', EVENTS_INDEX_FILE, `record ${this.#next} does not fit the log`);
  }

  #fits({ seq, byteTo, chain }: Indexed): boolean {
    const at = this.#next * RECORD_BYTES;
    if (at + RECORD_BYTES > this.#records.byteLength) return false;
    const [indexed, offset, minTs, maxTs] = [0, 8, 16, 24].map((field) => this.#records.getFloat64(at + field, true));
    if (indexed !== seq || offset !== byteTo || minTs !== this.#minTs || maxTs !== this.#maxTs) return false;
    for (let byte = 0; byte < CHAIN_BYTES; byte++) {
      const digits = chain.slice(byte * 2, byte * 2 + 2);
      if (this.#records.getUint8(at + CHAIN_AT + byte) !== Number.parseInt(digits, 16)) return false;
    }
    return true;
  }
}
