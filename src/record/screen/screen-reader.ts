import { Emulator, MAX_WRITE, type OpenTerminal, type Row } from './emulator.ts';
import { changedText, isUpdated, isWorthKeeping, newRows, withoutOuterBlanks } from './frames.ts';
import { LineHistory } from './line-history.ts';
import type { Size } from './sequence-effect.ts';

/** A screen that did not change for this long was there to be read. */
const SETTLED_US = 200_000;
/** A screen that never rests, because of a spinner, is looked at this often… */
const INTERVAL_US = 1_000_000;
/** …after a pause, when the program has probably drawn all of it. */
const PAUSE_US = 20_000;
/** Rows that change a little between two screens: typed text, a status, a progress bar. More of them are a new screen. */
const MAX_UPDATED = 3;
/** Times of a recording made elsewhere may be invented, so that every read is a pause. */
const MAX_SAMPLES = 50_000;

const RULE = '────';

interface Sample {
  rows: Row[];
  time: number;
}

/** Receives the text, with the time in microseconds at which it was on the screen. */
export type WriteText = (text: string, time: number) => void;

/**
 * Reads a screen as text. Lines of the normal screen are written in order when they leave it, and the rest at the end.
 * What was there to be read and is replaced by something else is written before. On the alternate screen there is
 * nothing but replacement, so its frames are written, each without the rows of the one before.
 */
export class ScreenReader {
  readonly #emulator: Emulator;
  readonly #write: WriteText;
  readonly #piece = new Uint8Array(MAX_WRITE);
  #filled = 0;
  #time = 0;
  /** When the program last changed the screen, unless it was sampled since. */
  #changedAt: number | null = null;
  #sampledAt = 0;
  #samples = 0;
  /** The last screen that could be read, until it is written or one that has all of it follows. */
  #pending: Sample | null = null;
  /** Rows of the normal screen that are written already, by number. */
  #written = new Map<number, string>();
  /** Number of the row that leaves the normal screen, or would be the next one. */
  #leaving = 0;
  readonly #history = new LineHistory();
  /** The alternate screen as it was written last. */
  #frame: string[] = [];
  #hasFrames = false;
  /** The last line has no line feed yet, because the next row may continue it. */
  #isOpen = false;

  constructor(open: OpenTerminal, size: Size, options: { bareLineFeeds: boolean; write: WriteText }) {
    this.#emulator = new Emulator(open, size, options);
    this.#write = options.write;
  }

  get size(): Size {
    return this.#emulator.size;
  }

  /** Time passes until the next output: the moment to look at the screen. */
  advance(time: number): void {
    const isNormal = !this.#emulator.isAlternate;
    if (this.#changedAt !== null) {
      const isSettled = time - this.#changedAt >= SETTLED_US;
      const isDue = !isNormal && time - this.#sampledAt >= INTERVAL_US && time - this.#time >= PAUSE_US;
      if (isSettled || isDue) this.#sample();
    }
    this.#time = time;
  }

  /** Passes bytes to the emulator. `changes`: they may change the text, not only move the cursor. */
  draw(bytes: Uint8Array, { changes }: { changes: boolean }): void {
    if (changes) this.#changedAt = this.#time;
    if (bytes.length === 1 && this.#filled < MAX_WRITE - 1) {
      this.#piece[this.#filled++] = bytes[0]!;
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + MAX_WRITE - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === MAX_WRITE) this.#flush();
    }
  }

  /** Before the screen is erased. */
  beforeClear(): void {
    this.#flush();
    if (this.#changedAt !== null) this.#sample();
    this.beforeHome();
  }

  /** Before the cursor goes to the top left: the program probably draws everything again. */
  beforeHome(): void {
    if (!this.#history.isAgain) this.#flush();
    if (!this.#emulator.isAlternate) this.#history.beginAgain();
  }

  enterAlternate(sequence: Uint8Array): void {
    if (!this.#emulator.isAlternate) this.#writeScreen();
    this.draw(sequence, { changes: true });
    this.#flush();
  }

  leaveAlternate(sequence: Uint8Array): void {
    this.#flush();
    if (this.#emulator.isAlternate) this.#endAlternate();
    this.draw(sequence, { changes: true });
    this.#flush();
  }

  resize(size: Size): void {
    this.#flush();
    this.#emulator.resize(size);
    if (this.#emulator.isAlternate) return;
    // Rows get other numbers when lines are wrapped differently.
    const wrote = new Set(this.#written.values());
    const rows = this.#emulator.rows().filter(({ text }) => wrote.has(text));
    this.#written = new Map(rows.map(({ number, text }) => [number, text]));
    this.#pending = null;
    this.#sample();
  }

  /** Writes the rest. */
  end(): void {
    this.#flush();
    if (this.#emulator.isAlternate) this.#endAlternate();
    else this.#writeScreen();
    if (this.#isOpen) this.#write('\n', this.#time);
    this.#isOpen = false;
    this.#emulator.dispose();
  }

  #flush(): void {
    if (this.#filled === 0) return;
    this.#emulator.write(this.#piece.subarray(0, this.#filled));
    this.#filled = 0;
    for (const row of this.#emulator.takeRows()) this.#writeLeaving(row);
  }

  /** Compares the screen with the last one that could be read, and writes that one if something of it is gone. */
  #sample(): void {
    this.#flush();
    this.#changedAt = null;
    this.#sampledAt = this.#time;
    if (++this.#samples > MAX_SAMPLES) return;
    const rows = this.#emulator.rows();
    if (this.#pending && this.#loses(this.#pending.rows, rows)) this.#writePending();
    this.#pending = { rows, time: this.#time };
    if (this.#emulator.isAlternate) return;
    for (const { number, text } of rows) {
      if (this.#history.hasNext(text)) this.#written.set(number, text);
      else if (this.#written.get(number) !== text) this.#written.delete(number);
    }
    this.#history.endAgain();
  }

  #loses(before: readonly Row[], rows: readonly Row[]): boolean {
    const now = new Set(rows.map(({ text }) => text));
    const first = rows[0]?.number ?? 0;
    let updated = 0;
    for (const [position, { number, text }] of before.entries()) {
      // Rows before the first one left the normal screen at the top, and were written then.
      if (!isWorthKeeping(text) || now.has(text) || number < first || this.#written.get(number) === text) continue;
      const following = [rows[number - first]?.text ?? '', rows[position]?.text ?? ''];
      if (!following.some((row) => isUpdated(text, row)) || ++updated > MAX_UPDATED) return true;
    }
    return false;
  }

  #writePending(): void {
    if (!this.#pending) return;
    const { rows, time } = this.#pending;
    this.#pending = null;
    if (this.#emulator.isAlternate) this.#writeFrame(rows, time);
    else this.#writeRows(rows, time);
  }

  /** A row that leaves the normal screen at its top. */
  #writeLeaving({ number, text, isWrapped }: Row): void {
    this.#leaving = number;
    const before = this.#pending?.rows.find((row) => row.number === number);
    // Written now, because after this row it would be in the wrong place.
    if (before && before.text !== text && this.#loses([before], [{ number, text, isWrapped }])) this.#writePending();
    const isWritten = this.#written.get(number) === text || this.#history.hasNext(text);
    this.#written.delete(number);
    if (!isWritten) this.#writeRow({ text, isWrapped }, this.#time);
    this.#leaving = number + 1;
  }

  /** Everything on the normal screen, before it is hidden or at the end. */
  #writeScreen(): void {
    if (this.#changedAt !== null) this.#sample();
    this.#writePending();
  }

  /** Rows of the normal screen that are not written yet. */
  #writeRows(rows: readonly Row[], time: number): void {
    const end = rows.findLastIndex(({ text }) => text.trim() !== '') + 1;
    const used = rows.slice(0, end).filter(({ number }) => number >= this.#leaving);
    const isNew = newRows(
      [...this.#written.values()],
      used.map(({ text }) => text),
    );
    for (const [index, row] of used.entries()) if (isNew[index]) this.#writeRow(row, time);
    this.#written = new Map(used.map(({ number, text }) => [number, text]));
  }

  #writeRow({ text, isWrapped }: Pick<Row, 'text' | 'isWrapped'>, time: number): void {
    this.#write(this.#isOpen && !isWrapped ? `\n${text}` : text, time);
    this.#isOpen = true;
    this.#history.add(text);
  }

  #endAlternate(): void {
    if (this.#changedAt !== null) this.#sample();
    this.#writePending();
    if (this.#hasFrames) this.#write(`${RULE}\n`, this.#time);
    this.#frame = [];
    this.#hasFrames = false;
  }

  #writeFrame(rows: readonly Row[], time: number): void {
    const texts = rows.map(({ text }) => text.trimEnd());
    const shown = this.#hasFrames ? changedText(this.#frame, texts) : withoutOuterBlanks(texts);
    this.#frame = texts;
    if (shown.length === 0) return;
    const rule = `${RULE} screen at ${clock(time)} ${RULE}`;
    this.#write(`${this.#isOpen ? '\n' : ''}${[rule, ...shown].join('\n')}\n`, time);
    this.#isOpen = false;
    this.#hasFrames = true;
  }
}

/** As on a clock: 1:05, 1:02:03. */
function clock(time: number): string {
  const seconds = Math.floor(time / 1_000_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
