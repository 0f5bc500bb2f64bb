import type { OpenTerminal } from './emulator.ts';
import { LineText } from './line-text.ts';
import { OutputFilter, type Sequence } from './output-filter.ts';
import { ScreenReader } from './screen-reader.ts';
import { boundCount, costOf, type Effect, effectOf, type Size } from './sequence-effect.ts';

export type { OpenTerminal };

/** One event of a recording; `time` is microseconds since its beginning. */
export type ScreenMoment =
  | { kind: 'output'; side: 'a' | 'b'; time: number; bytes: Uint8Array }
  | { kind: 'input'; time: number }
  | { kind: 'resize'; time: number; cols: number; rows: number };

export interface ScreenTextOptions extends Size {
  /** A bare line feed starts a new line, because output processing was off. */
  bareLineFeeds: boolean;
  open: OpenTerminal;
  /** Cells that sequences may change in addition to those paid for by output. */
  freeCells?: number;
}

export interface TimedText {
  text: string;
  /** Microseconds since the beginning, when it was on the screen. */
  time: number;
}

/**
 * The text that a terminal showed, in order. Output that only appends lines is passed on without control sequences;
 * from the first sequence that does more, a terminal emulator renders the screen. Uses constant memory.
 */
export function* screenText(moments: Iterable<ScreenMoment>, options: ScreenTextOptions): Generator<TimedText> {
  const rendering = new Rendering(options);
  for (const moment of moments) {
    if (moment.kind === 'resize') rendering.resize(moment);
    else if (moment.kind === 'output') rendering.output(moment);
    const texts = rendering.take();
    if (texts.length > 0) yield* texts;
    else yield { text: '', time: moment.time }; // A reader may have other work to do meanwhile.
  }
  rendering.end();
  yield* rendering.take();
}

/** Ten thousand screens, erased without drawing anything. */
const FREE_CELLS = 20_000_000;
/** A program that draws what it erased needs fewer. */
const CELLS_PER_BYTE = 16;

const NOTE = '[too many screen operations: the rest is the output without control sequences]\n';
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

class Rendering {
  readonly #options: ScreenTextOptions;
  #size: Size;
  #waiting: TimedText[] = [];
  readonly #lines: LineText;
  /** Once a sequence needed more than lines. */
  #screen: ScreenReader | null = null;
  #isOverBudget = false;
  #bytes = 0;
  #cells = 0;
  #time = 0;
  /** A carriage return is part of a line end if a line feed follows. */
  #returned = false;
  readonly #sides = { a: this.#filter(), b: this.#filter() };

  constructor(options: ScreenTextOptions) {
    this.#options = options;
    this.#size = { cols: options.cols, rows: options.rows };
    this.#lines = new LineText((text, time) => this.#waiting.push({ text, time }));
  }

  take(): TimedText[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  output({ side, time, bytes }: { side: 'a' | 'b'; time: number; bytes: Uint8Array }): void {
    this.#time = time;
    this.#bytes += bytes.length;
    this.#screen?.advance(time);
    this.#sides[side].push(bytes);
  }

  resize({ time, cols, rows }: Size & { time: number }): void {
    this.#time = time;
    this.#size = { cols, rows };
    this.#screen?.advance(time);
    this.#screen?.resize(this.#size);
  }

  end(): void {
    for (const side of Object.values(this.#sides)) side.end();
    if (this.#screen) this.#screen.end();
    else this.#lines.end();
  }

  #filter(): OutputFilter {
    return new OutputFilter({
      text: (bytes) => this.#text(bytes),
      control: (code) => this.#control(code),
      sequence: (sequence) => this.#sequence(sequence),
    });
  }

  #text(bytes: Uint8Array): void {
    if (this.#returned) {
      this.#returned = false;
      if (bytes[0] !== LINE_FEED && !this.#isOverBudget) this.#draw(Uint8Array.of(CARRIAGE_RETURN));
    }
    if (this.#screen) this.#screen.draw(bytes, { changes: true });
    else this.#lines.add(bytes, this.#size.rows, this.#time);
  }

  #control(code: number): void {
    if (this.#isOverBudget) return;
    if (this.#screen) this.#screen.draw(Uint8Array.of(code), { changes: false });
    else if (code !== CARRIAGE_RETURN) this.#draw(Uint8Array.of(code));
    else this.#returned ||= !this.#lines.isAtLineStart;
  }

  #sequence(sequence: Sequence): void {
    const effect = effectOf(sequence);
    if (effect === 'none' || this.#isOverBudget || (effect === 'ahead' && !this.#screen)) return;
    this.#cells += costOf(boundCount(sequence, this.#size), effect, this.#size);
    const { freeCells = FREE_CELLS } = this.#options;
    if (this.#cells > freeCells + CELLS_PER_BYTE * this.#bytes) this.#giveUp();
    else this.#apply(sequence, effect, this.#openScreen());
  }

  #apply(sequence: Sequence, effect: Effect, screen: ScreenReader): void {
    const bytes = bytesOf(boundCount(sequence, screen.size));
    switch (effect) {
      case 'enter-alternate':
        screen.enterAlternate(bytes);
        return;
      case 'leave-alternate':
        screen.leaveAlternate(bytes);
        return;
      case 'reset':
        screen.beforeClear();
        screen.leaveAlternate(RESET);
        return;
      case 'clear':
        screen.beforeClear();
        break;
      default:
        if (isHome(sequence)) screen.beforeHome();
    }
    screen.draw(bytes, { changes: effect === 'clear' || CHANGING.has(sequence.final) });
  }

  #draw(bytes: Uint8Array): void {
    this.#openScreen().draw(bytes, { changes: false });
  }

  /** Continues with an emulator that has the last lines on its screen. */
  #openScreen(): ScreenReader {
    if (this.#screen) return this.#screen;
    const { open, bareLineFeeds } = this.#options;
    const write = (text: string, time: number) => void this.#waiting.push({ text, time });
    this.#screen = new ScreenReader(open, this.#size, { bareLineFeeds, write });
    const { bytes, time } = this.#lines.takeHeld();
    this.#screen.advance(time);
    // Lines end with a line feed only: carriage returns were dropped.
    this.#screen.draw(withReturns(bytes), { changes: true });
    this.#screen.advance(this.#time);
    if (this.#returned) this.#screen.draw(Uint8Array.of(CARRIAGE_RETURN), { changes: false });
    this.#returned = false;
    return this.#screen;
  }

  /** A hostile program can ask for much more work than it prints. */
  #giveUp(): void {
    this.#isOverBudget = true;
    this.#screen?.end();
    this.#screen = null;
    this.#waiting.push({ text: NOTE, time: this.#time });
  }
}

/** Normal screen, default modes, empty: as a reset, but with the scrollback. */
const RESET = new TextEncoder().encode('\x1b[?1049l\x1b[!p\x1b[r\x1b[H\x1b[2J');
/** Others only move the cursor. */
const CHANGING = new Set('@JKLMPSTXb78');

function isHome({ kind, body, final }: Sequence): boolean {
  return kind === 'csi' && 'Hf'.includes(final) && /^[01]?(?:;[01]?)?$/.test(body);
}

const encoder = new TextEncoder();
/** Programs use the same few sequences again and again. */
const encoded = new Map<string, Uint8Array>();
const MAX_ENCODED = 1000;

function bytesOf({ kind, body, final }: Sequence): Uint8Array {
  const sequence = `\x1b${kind === 'csi' ? '[' : ''}${body}${final}`;
  const known = encoded.get(sequence);
  if (known) return known;
  const bytes = encoder.encode(sequence);
  if (encoded.size < MAX_ENCODED) encoded.set(sequence, bytes);
  return bytes;
}

function withReturns(line: Uint8Array): Uint8Array {
  return encoder.encode(new TextDecoder().decode(line).replaceAll('\n', '\r\n'));
}
