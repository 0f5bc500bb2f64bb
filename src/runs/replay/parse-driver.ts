import {
  type ByteRange,
  type ExitFacts,
  isRaw,
  type OutputStream,
  type Parser,
  type RaspDraft,
} from '../../protocol/index.ts';
import type { Mask, Segment } from './secret-mask.ts';

/** Maximum time to hold back bytes that may be the start of a secret. */
const HOLD_MS = 200;

/** Feeds recorded bytes to a parser, live and in replay by the same steps: mask, tick to the bytes' time, push. */
export class ParseDriver {
  readonly #parser: Parser;
  readonly #mask: Mask;
  readonly #ptyHeaderBytes: number;

  constructor(parser: Parser, mask: Mask, { ptyHeaderBytes }: { ptyHeaderBytes: number }) {
    this.#parser = parser;
    this.#mask = mask;
    this.#ptyHeaderBytes = ptyHeaderBytes;
  }

  /** `time` in microseconds, as recorded. */
  push(stream: OutputStream, bytes: Buffer, time: number): RaspDraft[] {
    return this.#feed(this.#mask.push(stream, bytes, time / 1000));
  }

  /** Time has passed without bytes: every byte read before `time` has been pushed. */
  tick(time: number): RaspDraft[] {
    const now = time / 1000;
    const drafts = this.#feed(this.#mask.release(now - HOLD_MS));
    // The parser's time is that of its bytes, which may be held back.
    this.#add(drafts, this.#parser.tick(this.#mask.heldSince ?? now));
    return drafts;
  }

  end(exit: ExitFacts): RaspDraft[] {
    const drafts = this.#feed(this.#mask.release(Number.POSITIVE_INFINITY));
    this.#add(drafts, this.#parser.end(exit));
    return drafts;
  }

  #feed(segments: readonly Segment[]): RaspDraft[] {
    const drafts: RaspDraft[] = [];
    for (const { stream, bytes, time } of segments) {
      this.#add(drafts, this.#parser.tick(time));
      this.#add(drafts, this.#parser.push(stream, bytes, time));
    }
    return drafts;
  }

  /** Raw output says how much of it was masked: who reads its bytes again can tell whether all redactions are known. */
  #add(drafts: RaspDraft[], more: readonly RaspDraft[]): void {
    for (const draft of more) {
      drafts.push(draft);
      if (!isRaw(draft)) continue;
      const { stream, byte_from, byte_to } = draft.raw_ref as ByteRange;
      const header = stream === 'pty' ? this.#ptyHeaderBytes : 0;
      const range = { from: byte_from - header, to: byte_to - header };
      const masked = this.#mask.maskedBytes(stream as OutputStream, range);
      if (masked > 0) draft.data.masked = masked;
    }
  }
}
