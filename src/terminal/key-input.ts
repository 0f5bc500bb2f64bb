import { constants } from 'node:os';
import { readModes, signalForeground } from './libc.ts';
import { type Awaited, awaitedInput } from './processes/foreground.ts';
import { type Pty, readsLines, unlessHungUp } from './pty.ts';

/** One of the two terminals, as needed for keys. */
export interface KeySide {
  pty: Pty;
  /** False once the terminal is closing or closed: its descriptors must no longer be used. */
  isOpen(): boolean;
  write(bytes: Uint8Array): Promise<void>;
}

const ISIG = 0o1;
/** Indexes in the terminal's table of control characters, and the signal of each. */
const SIGNAL_KEYS = [
  { place: 0, signal: constants.signals.SIGINT },
  { place: 1, signal: constants.signals.SIGQUIT },
  { place: 10, signal: constants.signals.SIGTSTP },
] as const;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** How long keys wait while a program is busy and it is unclear where it will read them. */
const TIMEOUT_MS = 1000;
const MAX_PAUSE_MS = 10;

/**
 * Keys for a program on two terminals. Pagers read the terminal of stderr (B), everything else that of stdin (A), so
 * each write goes to the terminal whose modes show that it is being read, checked just before the write.
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

  /** Resolves when a terminal has accepted the bytes. Writes are sequential. */
  write(bytes: Uint8Array): Promise<void> {
    const written = this.#queue.then(() => this.#write(bytes));
    this.#queue = written.catch(() => {});
    return written;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    let mayWait = true;
    for (const line of afterLineEnds(bytes)) {
      // After a line, another program may run and read the rest on the other terminal.
      const isRest = line.byteOffset > bytes.byteOffset;
      const awaited: Awaited = mayWait && (isRest || this.#isForB()) ? await this.#untilAwaited() : 'unclear';
      if (awaited === 'nothing') mayWait = false;
      if (!this.#isOpen) return;
      // B may still have the modes of a killed pager; then A is being read, and B is not.
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

  /** B is not a controlling terminal and would swallow the keys that send signals: A sends them. */
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

  /** What the program waits for after it has read all earlier input; `nothing` if it stays busy for too long. */
  async #untilAwaited(): Promise<Awaited> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let wait = 0; this.#isOpen; wait = Math.min(wait + 1, MAX_PAUSE_MS)) {
      // A terminal that the program has hung up (vhangup) cannot be queried.
      const awaited = unlessHungUp(() => awaitedInput(this.#a.pty, this.#b.pty, this.#leader)) ?? 'unclear';
      if (awaited !== 'nothing' || performance.now() > deadline) return awaited;
      await (wait === 0 ? new Promise((resolve) => setImmediate(resolve)) : pause(wait));
    }
    return 'nothing';
  }
}

/** True if a program has put B, but not A, into a mode for reading single keys. */
export function isForB(a: Pty, b: Pty): boolean {
  return readsLines(a) && !readsLines(b);
}

/** The keys that send signals, unless the program has disabled that. */
function signalKeys(pty: Pty): Map<number, number> {
  const { local, controlCharacters } = readModes(pty.slave);
  const keys = new Map<number, number>();
  if ((local & ISIG) === 0) return keys;
  for (const { place, signal } of SIGNAL_KEYS) keys.set(controlCharacters[place]!, signal);
  keys.delete(0); // A disabled key.
  return keys;
}

/** Splits the bytes after each line end; CR LF counts as one. */
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

/** Does not keep this process alive; the open terminal does. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
