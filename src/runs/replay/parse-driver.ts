import type { ExitFacts, OutputStream, Parser, RaspDraft } from '../../protocol/index.ts';
import type { Mask, Segment } from './secret-mask.ts';

/** Maximum time to hold back bytes that may be the start of a secret. */
const HOLD_MS = 200;

/** Feeds recorded bytes to a parser, live and in replay by the same steps: mask, tick to the bytes' time, push. */
export class ParseDriver {
  readonly #parser: Parser;
  readonly #mask: Mask;

  constructor(parser: Parser, mask: Mask) {
    this.#parser = parser;
    this.#mask = mask;
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
    return [...drafts, ...this.#parser.tick(this.#mask.heldSince ?? now)];
  }

  end(exit: ExitFacts): RaspDraft[] {
    return [...this.#feed(this.#mask.release(Number.POSITIVE_INFINITY)), ...this.#parser.end(exit)];
  }

  #feed(segments: readonly Segment[]): RaspDraft[] {
    const drafts: RaspDraft[] = [];
    for (const { stream, bytes, time } of segments) {
      for (const draft of this.#parser.tick(time)) drafts.push(draft);
      for (const draft of this.#parser.push(stream, bytes, time)) drafts.push(draft);
    }
    return drafts;
  }
}
