import { lastAtMost, type Position } from './frames.ts';

/** A terminal as it was at a position: from here a replay can begin. */
export interface Keyframe {
  position: Position;
  /** The output that makes it of an empty terminal. */
  state: string;
}

/** Distance between keyframes: the bytes between two are replayed in less than a tenth of a second. */
const EVERY_BYTES = 512 * 1024;
/** The size of all together. Beyond it every second one goes; it can be made again from the bytes. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** What was on the screen here and there: a cache that is made while playing. The bytes stay the truth. */
export class Keyframes {
  #kept: Keyframe[] = [];
  #offsets: number[] = [];
  #characters = 0;

  /** The nearest one from which a position can be reached. */
  before({ offset, resizes }: Position): Keyframe | null {
    const found = this.#kept[lastAtMost(this.#offsets, offset)];
    return found && found.position.resizes <= resizes ? found : null;
  }

  /** Whether it is far enough to the one before and the one after. */
  wants(offset: number): boolean {
    const index = lastAtMost(this.#offsets, offset);
    const [before, after] = [this.#offsets[index] ?? 0, this.#offsets[index + 1] ?? Number.POSITIVE_INFINITY];
    return offset - before >= EVERY_BYTES && after - offset >= EVERY_BYTES;
  }

  add(keyframe: Keyframe): void {
    const index = lastAtMost(this.#offsets, keyframe.position.offset) + 1;
    this.#kept.splice(index, 0, keyframe);
    this.#offsets.splice(index, 0, keyframe.position.offset);
    this.#characters += keyframe.state.length;
    while (this.#characters > MOST_CHARACTERS) this.#thinOut();
  }

  /** Every second one: the rest still stands evenly over the recording. */
  #thinOut(): void {
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#offsets = this.#kept.map(({ position }) => position.offset);
    this.#characters = this.#kept.reduce((sum, { state }) => sum + state.length, 0);
  }
}
