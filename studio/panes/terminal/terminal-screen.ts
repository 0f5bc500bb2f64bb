import { Terminal } from '@xterm/xterm';
import type { Position, Size } from '../../model/terminal/frames.ts';
import type { Tape } from '../../model/terminal/tape.ts';
import { Store } from '../../state/store.ts';
import { boundCounts } from './bound-counts.ts';
import { Replay } from './replay.ts';
import { SHARED, XtermScreen } from './xterm-screen.ts';

/** At a larger distance from a keyframe, the end is shown first and everything is replayed in the background. */
const FAR_BYTES = 1024 * 1024;
/** How much of the end is shown: mostly more lines than a terminal keeps. */
const TAIL_BYTES = 256 * 1024;
/** Beyond this distance nothing is replayed in the background: the screen keeps what its last output drew. */
const MAX_REPLAY_BYTES = 64 * 1024 * 1024;

interface ShowRequest {
  tape: Tape;
  to: Position;
}

/** A terminal that can be moved to any position of a tape. */
export class TerminalScreen extends XtermScreen {
  /** The screen was drawn from the last output only. */
  readonly approximate = new Store(false);
  readonly #replay = new Replay(this.terminal);
  #wanted: ShowRequest | null = null;
  #showing = false;
  #replaying: Tape | null = null;

  /** The latest request wins. */
  async show(tape: Tape, to: Position): Promise<void> {
    this.#wanted = { tape, to };
    if (this.#showing) return;
    this.#showing = true;
    try {
      for (let request = this.#nextRequest(); request !== null; request = this.#nextRequest(request)) {
        const { tape, to } = request;
        await this.#put(tape, to, () => request === this.#nextRequest());
      }
    } finally {
      this.#showing = false;
    }
  }

  /** Shows output without times, on an empty screen. */
  showAlone(output: Uint8Array, { cols, rows }: Size): void {
    this.#wanted = null;
    this.#replay.forget();
    this.terminal.reset();
    this.terminal.resize(cols, rows);
    // It is unknown how it was recorded; an additional carriage return does no harm.
    this.terminal.options.convertEol = true;
    this.terminal.write(output);
  }

  /** The latest request, if it differs from what was just shown. */
  #nextRequest(shown: ShowRequest | null = null): ShowRequest | null {
    return this.isClosed || this.#wanted === shown ? null : this.#wanted;
  }

  async #put(tape: Tape, to: Position, isWanted: () => boolean): Promise<void> {
    if (this.#replay.distance(tape, to) <= FAR_BYTES) await this.#replay.show(tape, to, isWanted);
    else await this.#replay.showFrom(tape, await tailOf(tape, to), to, isWanted);
    const { isApproximate } = this.#replay;
    this.approximate.set(isApproximate);
    if (isApproximate) void this.#makeKeyframes(tape, to);
  }

  /** Replays everything in a hidden terminal to make keyframes; afterwards the screen is exact. */
  async #makeKeyframes(tape: Tape, to: Position): Promise<void> {
    const from = tape.keyframes.before(to)?.position.offset ?? 0;
    if (this.#replaying === tape || to.offset - from > MAX_REPLAY_BYTES) return;
    this.#replaying = tape;
    const terminal = new Terminal(SHARED);
    boundCounts(terminal);
    const isWanted = () => this.#replaying === tape && !this.isClosed;
    try {
      if (!(await new Replay(terminal).show(tape, to, isWanted))) return;
    } finally {
      terminal.dispose();
      if (this.#replaying === tape) this.#replaying = null;
    }
    this.#replay.forget();
    const request = this.#wanted;
    if (request?.tape === tape) void this.show(request.tape, { ...request.to });
  }
}

/** Where the last lines before a position begin. */
async function tailOf({ recording, read }: Tape, to: Position): Promise<Position> {
  const from = to.offset - TAIL_BYTES;
  const line = (await read(from, to.offset)).indexOf(0x0a) + 1;
  const offset = from + line;
  return { offset, resizes: recording.resizes.filter((resize) => resize.offset <= offset).length };
}
