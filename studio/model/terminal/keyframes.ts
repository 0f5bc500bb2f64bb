import { lastAtMost, type Position } from './frames.ts';

/** The state of a terminal at a position: a replay can start here. */
export interface Keyframe {
  position: Position;
  /** Output that restores it on an empty terminal. */
  state: string;
}

/** Distance between keyframes: the bytes between two are replayed in less than a tenth of a second. */
const EVERY_BYTES = 512 * 1024;
/** Maximum size of all together. Beyond it every second one is dropped; it can be recreated from the bytes. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** States of the screen at some positions: a cache that is filled while playing. */
export class Keyframes {
  #kept: Keyframe[] = [];
  #offsets: number[] = [];
  #characters = 0;

  /** The nearest one from which a position can be reached. */
  before({ offset, resizes }: Position): Keyframe | null {
    const found = this.#kept[lastAtMost(this.#offsets, offset)];
    return found && found.position.resizes <= resizes ? found : null;
  }

  /** Whether a position is far enough from its neighbours. */
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
    while (this.#characters > MAX_CHARACTERS) this.#thinOut();
  }

  /** Drops every second one: the rest stays evenly spaced. */
  #thinOut(): void {
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#offsets = this.#kept.map(({ position }) => position.offset);
    this.#characters = this.#kept.reduce((sum, { state }) => sum + state.length, 0);
  }
}
