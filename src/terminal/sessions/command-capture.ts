import type { CommandOutput, Encoding } from '../../protocol/terminal/index.ts';
import { cutBeginning, encodeBytes, incompleteEnd } from '../encode-bytes.ts';
import type { OutputBuffer } from './output-buffer.ts';

/**
 * What one command printed to one stream, for its result: a head, kept here, and a tail, read back from the stream's
 * buffer at the end. What lies between them is counted.
 */
export class CommandCapture {
  readonly #buffer: OutputBuffer;
  readonly #most: number;
  readonly #from: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;

  /** The command starts here. */
  constructor(buffer: OutputBuffer, most: number) {
    this.#buffer = buffer;
    this.#most = most;
    this.#from = buffer.end;
  }

  append(bytes: Buffer): void {
    const room = Math.ceil(this.#most / 2) - this.#headBytes;
    if (room <= 0) return;
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#head.push(kept);
    this.#headBytes += kept.length;
  }

  finish(encoding?: Encoding): CommandOutput {
    const to = this.#buffer.end;
    const { bytes, omitted } = this.#collect(to);
    return { ...encodeBytes(bytes, encoding), from: this.#from, to, omitted };
  }

  #collect(to: number): { bytes: Buffer; omitted: CommandOutput['omitted'] } {
    const head = Buffer.concat(this.#head);
    const headEnd = this.#from + head.length;
    const tailFrom = Math.max(headEnd, to - (this.#most - head.length), this.#buffer.start);
    const tail = this.#buffer.readNow(Math.min(tailFrom, to), to).bytes;
    if (tailFrom === headEnd) return { bytes: Buffer.concat([head, tail]), omitted: null };
    // A character that the cut went through is left out as a whole, or text would not be text any more.
    const wholeHead = head.subarray(0, head.length - incompleteEnd(head));
    const wholeTail = tail.subarray(cutBeginning(tail));
    return {
      bytes: Buffer.concat([wholeHead, wholeTail]),
      omitted: { at: wholeHead.length, bytes: to - this.#from - wholeHead.length - wholeTail.length },
    };
  }
}
