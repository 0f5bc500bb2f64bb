import { Terminal } from '@xterm/xterm';
import type { Position, Size } from '../../model/terminal/frames.ts';
import type { Tape } from '../../model/terminal/tape.ts';
import { Store } from '../../state/store.ts';
import { boundCounts } from './bound-counts.ts';
import { Replay } from './replay.ts';
import { SHARED, XtermScreen } from './xterm-screen.ts';

/** More than this from a keyframe, the end of the way is shown first and all of it gone behind the scenes. */
const FAR_BYTES = 1024 * 1024;
/** So much of the end: more lines than a terminal keeps, mostly. */
const TAIL_BYTES = 256 * 1024;
/** Beyond this distance nothing is replayed in the background: the screen stays what its last output made of it. */
const FARTHEST_BYTES = 64 * 1024 * 1024;

interface Wish {
  tape: Tape;
  to: Position;
}

/** A terminal that can be put to any position of a tape. */
export class TerminalScreen extends XtermScreen {
  /** The screen was made of the last output alone. */
  readonly approximate = new Store(false);
  readonly #replay = new Replay(this.terminal);
  #wanted: Wish | null = null;
  #showing = false;
  #scouting: Tape | null = null;

  /** The last wish counts. */
  async show(tape: Tape, to: Position): Promise<void> {
    this.#wanted = { tape, to };
    if (this.#showing) return;
    this.#showing = true;
    try {
      for (let wish = this.#wish(); wish !== null; wish = this.#wish(wish)) {
        const { tape, to } = wish;
        await this.#put(tape, to, () => wish === this.#wish());
      }
    } finally {
      this.#showing = false;
    }
  }

  /** Output of which nothing else is known, on an empty screen. */
  showAlone(output: Uint8Array, { cols, rows }: Size): void {
    this.#wanted = null;
    this.#replay.forget();
    this.terminal.reset();
    this.terminal.resize(cols, rows);
    // How it was recorded is not known; a carriage return too many does no harm.
    this.terminal.options.convertEol = true;
    this.terminal.write(output);
  }

  /** What is wanted, if it is not what was shown just now. */
  #wish(shown: Wish | null = null): Wish | null {
    return this.isClosed || this.#wanted === shown ? null : this.#wanted;
  }

  async #put(tape: Tape, to: Position, isWanted: () => boolean): Promise<void> {
    if (this.#replay.distance(tape, to) <= FAR_BYTES) await this.#replay.show(tape, to, isWanted);
    else await this.#replay.showFrom(tape, await tailOf(tape, to), to, isWanted);
    const { isApproximate } = this.#replay;
    this.approximate.set(isApproximate);
    if (isApproximate) void this.#scout(tape, to);
  }

  /** Replays everything in a hidden terminal to make keyframes; afterwards the screen is exact. */
  async #scout(tape: Tape, to: Position): Promise<void> {
    const from = tape.keyframes.before(to)?.position.offset ?? 0;
    if (this.#scouting === tape || to.offset - from > FARTHEST_BYTES) return;
    this.#scouting = tape;
    const terminal = new Terminal(SHARED);
    boundCounts(terminal);
    const isWanted = () => this.#scouting === tape && !this.isClosed;
    try {
      if (!(await new Replay(terminal).show(tape, to, isWanted))) return;
    } finally {
      terminal.dispose();
      if (this.#scouting === tape) this.#scouting = null;
    }
    this.#replay.forget();
    const wish = this.#wanted;
    if (wish?.tape === tape) void this.show(wish.tape, { ...wish.to });
  }
}

/** Where the last lines before a position begin. */
async function tailOf({ recording, read }: Tape, to: Position): Promise<Position> {
  const from = to.offset - TAIL_BYTES;
  const line = (await read(from, to.offset)).indexOf(0x0a) + 1;
  const offset = from + line;
  return { offset, resizes: recording.resizes.filter((resize) => resize.offset <= offset).length };
}
