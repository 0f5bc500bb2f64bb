import type { Terminal } from '@xterm/xterm';
import { type Position, sizeAt, stepsBetween } from '../../model/terminal/frames.ts';
import type { Recording } from '../../model/terminal/recording.ts';
import type { Tape } from '../../model/terminal/tape.ts';
import { screenState } from './screen-state.ts';
import { TerminalWatch } from './terminal-watch.ts';

/** Maximum bytes passed to the terminal before checking for a newer request. */
const PIECE_BYTES = 128 * 1024;

/** A terminal that can be moved to any position of a tape: from the nearest keyframe onwards. */
export class Replay {
  readonly #terminal: Terminal;
  readonly #watch: TerminalWatch;
  #tape: Tape | null = null;
  #at: Position = { offset: 0, resizes: 0 };
  #approximate = false;
  #held = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#watch = new TerminalWatch(terminal);
  }

  /** True after `showFrom`, until something was shown from a keyframe. */
  get isApproximate(): boolean {
    return this.#approximate;
  }

  /** How many bytes have to be played to get there. */
  distance(tape: Tape, to: Position): number {
    const { before } = this.#plan(tape, to);
    return to.offset - (before?.offset ?? this.#at.offset);
  }

  /** The next `show` starts from a keyframe again. */
  forget(): void {
    this.#tape = null;
  }

  /** True when it arrived; false if `isWanted` returned false on the way. */
  async show(tape: Tape, to: Position, isWanted: () => boolean): Promise<boolean> {
    const { before, state } = this.#plan(tape, to);
    if (before) {
      await this.#restart(tape, before, state);
      this.#approximate = false;
    }
    return this.#advance(tape, to, isWanted, { keep: !this.#approximate });
  }

  /** Begins in the middle, with an empty screen: correct once the earlier lines have scrolled away. */
  async showFrom(tape: Tape, from: Position, to: Position, isWanted: () => boolean): Promise<boolean> {
    await this.#restart(tape, from, '');
    this.#approximate = true;
    return this.#advance(tape, to, isWanted, { keep: false });
  }

  /** Where to begin; `before` is null if it continues from the current screen. */
  #plan(tape: Tape, to: Position): { before: Position | null; state: string } {
    const behind = this.#tape !== tape || to.offset < this.#at.offset || to.resizes < this.#at.resizes;
    const keyframe = tape.keyframes.before(to);
    if (!behind && (!keyframe || keyframe.position.offset <= this.#at.offset)) return { before: null, state: '' };
    return { before: keyframe?.position ?? startOf(tape.recording), state: keyframe?.state ?? '' };
  }

  async #advance(tape: Tape, to: Position, isWanted: () => boolean, { keep }: { keep: boolean }): Promise<boolean> {
    const steps = stepsBetween(tape.recording, this.#at, to, PIECE_BYTES);
    const last = steps.findLastIndex((step) => 'write' in step);
    if (last < 0) this.#draw();
    for (const [index, step] of steps.entries()) {
      if (!isWanted()) return false;
      if ('resize' in step) {
        this.#terminal.resize(step.resize.cols, step.resize.rows);
        this.#at = { ...this.#at, resizes: this.#at.resizes + 1 };
        continue;
      }
      const { from, to: end } = step.write;
      const bytes = await tape.read(from, end);
      if (bytes.length === 0) return false;
      // Each wait for the terminal costs milliseconds, so pieces are split only if needed.
      const wanted = keep && tape.keyframes.wants(end);
      const draws = this.#held && index === last;
      const cut = wanted || draws ? cutOf(bytes) : 0;
      if (cut > 0) await this.#write(bytes.subarray(0, cut));
      this.#at = { ...this.#at, offset: from + cut };
      if (wanted && cut > 0) {
        tape.keyframes.add({ position: this.#at, state: screenState(this.#terminal, this.#watch) });
      }
      // Not at the very end, where output may be cut in the middle of a sequence that must stay intact.
      if (draws) this.#draw();
      await this.#write(bytes.subarray(cut));
      this.#at = { ...this.#at, offset: from + bytes.length };
    }
    return true;
  }

  /** Nothing is drawn (synchronized output) until `#draw`, so that intermediate screens are not shown. */
  async #restart(tape: Tape, position: Position, state: string): Promise<void> {
    this.#tape = tape;
    this.#at = position;
    this.#held = true;
    const { cols, rows } = sizeAt(tape.recording, position, tape.size);
    this.#terminal.options.convertEol = tape.recording.split;
    // Before the size changes: old content must not be reflowed.
    await this.#write('\x1bc\x1b[?2026h');
    this.#terminal.resize(cols, rows);
    if (state !== '') await this.#write(state);
  }

  #draw(): void {
    if (this.#held) this.#terminal.write('\x1b[?2026l');
    this.#held = false;
  }

  #write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(data, resolve));
  }
}

function startOf({ header }: Recording): Position {
  return { offset: header ?? 0, resizes: 0 };
}

/** Where output can be split without cutting a character or a sequence: after a line, else before a sequence. */
function cutOf(bytes: Uint8Array): number {
  const line = bytes.lastIndexOf(0x0a);
  return line >= 0 ? line + 1 : Math.max(0, bytes.lastIndexOf(0x1b));
}
