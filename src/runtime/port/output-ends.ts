import { OutputBuffer } from '../../terminal/sessions/output-buffer.ts';

/** Of each end. Control sequences make output much longer than its text. */
const END_BYTES = 256 * 1024;

/** Bytes of an output that was longer than what is kept of it. */
export interface KeptEnds {
  head: Buffer;
  tail: Buffer;
  /** Bytes between the two, or before both. */
  omitted: number;
}

/** The beginning and the end of an output, however long it is. */
export class OutputEnds {
  readonly #head: Buffer[] = [];
  #headRoom = END_BYTES;
  #tail = new OutputBuffer(END_BYTES);
  #skipped = 0;

  append(bytes: Buffer): void {
    const head = bytes.subarray(0, this.#headRoom);
    if (head.length > 0) this.#head.push(head);
    this.#headRoom -= head.length;
    this.#tail.append(bytes.subarray(head.length));
  }

  /** Bytes that are gone before they could be read. */
  skip(count: number): void {
    this.#headRoom = 0;
    // What came before them is not the end any more.
    this.#skipped += count + this.#tail.end;
    this.#tail = new OutputBuffer(END_BYTES);
  }

  collect(): KeptEnds {
    const { start, end } = this.#tail;
    const tail = this.#tail.readNow(start, END_BYTES).bytes;
    // A cut line at its beginning may be the rest of a control sequence.
    const lineEnd = start > 0 ? tail.indexOf('\n') : -1;
    const whole = tail.subarray(lineEnd + 1);
    return { head: Buffer.concat(this.#head), tail: whole, omitted: this.#skipped + end - whole.length };
  }
}
