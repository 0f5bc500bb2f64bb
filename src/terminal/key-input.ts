import { constants } from 'node:os';
import { readModes, signalForeground } from './libc.ts';
import { type Awaited, awaitedInput } from './processes/foreground.ts';
import { type Pty, readsLines, unlessHungUp } from './pty.ts';

/** One of the two terminals, as far as keys are concerned. */
export interface KeySide {
  pty: Pty;
  /** False once the terminal is closed or being closed: its descriptors must not be used any more. */
  isOpen(): boolean;
  write(bytes: Uint8Array): Promise<void>;
}

const ISIG = 0o1;
/** Places in the terminal's table of control characters, and the signal each stands for. */
const SIGNAL_KEYS = [
  { place: 0, signal: constants.signals.SIGINT },
  { place: 1, signal: constants.signals.SIGQUIT },
  { place: 10, signal: constants.signals.SIGTSTP },
] as const;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** How long keys wait for a busy program, of which it is not clear where it will read them. */
const TIMEOUT_MS = 1000;
const LONGEST_PAUSE_MS = 10;

/**
 * Keys for a program on two terminals. Pagers read the terminal of stderr (B), everything else the one of stdin (A), so
 * each write goes where the modes say that somebody reads keys, looked up just before it happens.
 */
export class KeyInput {
  readonly #a: KeySide;
  readonly #b: KeySide;
  readonly #leader: number;
  #queue: Promise<void> = Promise.resolve();

  constructor({ a, b, leader }: { a: KeySide; b: KeySide; leader: number }) {
    this.#a = a;
    this.#b = b;
    this.#leader = leader;
  }

  /** Resolves when a terminal took the bytes. Writes happen one after the other. */
  write(bytes: Uint8Array): Promise<void> {
    const written = this.#queue.then(() => this.#write(bytes));
    this.#queue = written.catch(() => {});
    return written;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    let patient = true;
    for (const line of afterLineEnds(bytes)) {
      // After a line another program may run and want the rest on the other terminal.
      const isRest = line.byteOffset > bytes.byteOffset;
      const awaited: Awaited = patient && (isRest || this.#isForB()) ? await this.#untilAwaited() : 'unclear';
      if (awaited === 'nothing') patient = false;
      if (!this.#isOpen) return;
      // B may keep the modes of a pager that was killed; then something reads A, and nothing B.
      const toB = awaited !== 'a' && this.#isForB();
      await (toB ? this.#writeToB(line) : this.#a.write(line));
    }
  }

  get #isOpen(): boolean {
    return this.#a.isOpen() && this.#b.isOpen();
  }

  #isForB(): boolean {
    return this.#isOpen && (unlessHungUp(() => isForB(this.#a.pty, this.#b.pty)) ?? false);
  }

  /** B controls no process, so it would swallow the keys that make signals: A sends them. */
  async #writeToB(bytes: Uint8Array): Promise<void> {
    const signals = unlessHungUp(() => signalKeys(this.#b.pty)) ?? new Map<number, number>();
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const signal = signals.get(bytes[at]!);
      if (signal === undefined) continue;
      if (at > from) await this.#b.write(bytes.subarray(from, at));
      if (!this.#isOpen) return;
      unlessHungUp(() => signalForeground(this.#a.pty.master, signal));
      from = at + 1;
    }
    if (from < bytes.length) await this.#b.write(bytes.subarray(from));
  }

  /** What the program waits for once it has read what was typed before; `nothing` when it stays busy for too long. */
  async #untilAwaited(): Promise<Awaited> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let wait = 0; this.#isOpen; wait = Math.min(wait + 1, LONGEST_PAUSE_MS)) {
      // A terminal that the program hung up (vhangup) tells nothing.
      const awaited = unlessHungUp(() => awaitedInput(this.#a.pty, this.#b.pty, this.#leader)) ?? 'unclear';
      if (awaited !== 'nothing' || performance.now() > deadline) return awaited;
      await (wait === 0 ? new Promise((resolve) => setImmediate(resolve)) : pause(wait));
    }
    return 'nothing';
  }
}

/** A program put B, and not A, into a mode in which it reads single keys. */
export function isForB(a: Pty, b: Pty): boolean {
  return readsLines(a) && !readsLines(b);
}

/** The keys that make a signal, unless the program wants to read them. */
function signalKeys(pty: Pty): Map<number, number> {
  const { local, controlCharacters } = readModes(pty.slave);
  const keys = new Map<number, number>();
  if ((local & ISIG) === 0) return keys;
  for (const { place, signal } of SIGNAL_KEYS) keys.set(controlCharacters[place]!, signal);
  keys.delete(0); // A key that is switched off.
  return keys;
}

/** The same bytes, cut behind each line end; CR LF is one. */
function* afterLineEnds(bytes: Uint8Array): Generator<Uint8Array> {
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
    if (byte === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) continue;
    yield bytes.subarray(from, at + 1);
    from = at + 1;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}

/** Does not keep this process alive: the terminal does, as long as it is there. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
