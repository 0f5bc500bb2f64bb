import type { CommandOutput, Encoding } from '../../protocol/terminal/index.ts';
import { cutBeginning, encodeBytes, incompleteEnd } from '../encode-bytes.ts';
import type { OutputBuffer } from './output-buffer.ts';

/**
 * The output of one command to one stream, for its result: a head, kept here, and a tail, read from the stream's buffer
 * at the end. Bytes in between are only counted.
 */
export class CommandCapture {
  readonly #buffer: OutputBuffer;
  readonly #maxBytes: number;
  readonly #from: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;

  /** The command's output starts here. */
  constructor(buffer: OutputBuffer, maxBytes: number) {
    this.#buffer = buffer;
    this.#maxBytes = maxBytes;
    this.#from = buffer.end;
  }

  append(bytes: Buffer): void {
    const room = Math.ceil(this.#maxBytes / 2) - this.#headBytes;
    if (room <= 0) return;
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#head.push(kept);
    this.#headBytes += kept.length;
  }

  finish(encoding?: Encoding): CommandOutput {
    const { bytes, to, omitted } = this.collect();
    return { ...encodeBytes(bytes, encoding), from: this.#from, to, omitted };
  }

  /** The kept bytes; `to` is the end of the output in the stream. */
  collect(): { bytes: Buffer; to: number; omitted: CommandOutput['omitted'] } {
    const to = this.#buffer.end;
    const head = Buffer.concat(this.#head);
    const headEnd = this.#from + head.length;
    const tailFrom = Math.max(headEnd, to - (this.#maxBytes - head.length), this.#buffer.start);
    const tail = this.#buffer.readNow(Math.min(tailFrom, to), to).bytes;
    if (tailFrom === headEnd) return { bytes: Buffer.concat([head, tail]), to, omitted: null };
    // A cut character is left out completely; otherwise the text would be invalid.
    const wholeHead = head.subarray(0, head.length - incompleteEnd(head));
    const wholeTail = tail.subarray(cutBeginning(tail));
    return {
      bytes: Buffer.concat([wholeHead, wholeTail]),
      to,
      omitted: { at: wholeHead.length, bytes: to - this.#from - wholeHead.length - wholeTail.length },
    };
  }
}
