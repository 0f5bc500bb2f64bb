import type { ExitFacts, OutputStream, Parser, RaspDraft } from '../protocol/index.ts';
import type { Mask, Segment } from './secret-mask.ts';

/** Longest time bytes wait for the rest of what may be a secret. */
const HOLD_MS = 200;

/**
 * Feeds recorded bytes to a parser, live and in replay by the same path: mask, tick to the bytes' time, push.
 */
export class ParseDriver {
  readonly #parser: Parser;
  readonly #mask: Mask;
  #heldSince: number | null = null;

  constructor(parser: Parser, mask: Mask) {
    this.#parser = parser;
    this.#mask = mask;
  }

  /** `time` in microseconds, as recorded. */
  push(stream: OutputStream, bytes: Buffer, time: number): RaspDraft[] {
    const drafts = this.#feed(this.#mask.push(stream, bytes, time / 1000));
    this.#heldSince = this.#mask.holding ? (this.#heldSince ?? time) : null;
    return drafts;
  }

  /** Time has passed without bytes. */
  tick(time: number): RaspDraft[] {
    const drafts: RaspDraft[] = [];
    if (this.#heldSince !== null) {
      if (time - this.#heldSince < HOLD_MS * 1000) return drafts;
      drafts.push(...this.#giveUpHolding());
    }
    drafts.push(...this.#parser.tick(time / 1000));
    return drafts;
  }

  end(exit: ExitFacts): RaspDraft[] {
    return [...this.#giveUpHolding(), ...this.#parser.end(exit)];
  }

  #giveUpHolding(): RaspDraft[] {
    this.#heldSince = null;
    return this.#feed(this.#mask.release());
  }

  #feed(segments: readonly Segment[]): RaspDraft[] {
    const drafts: RaspDraft[] = [];
    for (const { stream, bytes, time } of segments) {
      drafts.push(...this.#parser.tick(time), ...this.#parser.push(stream, bytes, time));
    }
    return drafts;
  }
}
