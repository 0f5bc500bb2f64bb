import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import tty from 'node:tty';
import { beforeFatalExit, readProcessStat } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';
import { isForB, KeyInput, type KeySide } from './key-input.ts';
import { launch, startFailure } from './launch.ts';
import type { Confinement } from './limits/confinement.ts';
import type { Gate } from './limits/gate.ts';
import { MarkerScanner } from './marker-scanner.ts';
import { adoptOrphans } from './processes/orphans.ts';
import { endTree, signalTree, type TreeIdentity, watchSurvivors } from './processes/process-tree.ts';
import { beginTag, endTag } from './processes/session-tag.ts';
import { continueSuspended, holdsSuspendKey } from './processes/suspended.ts';
import {
  expectsNewlineTranslation,
  openPty,
  type Pty,
  prepareForMarker,
  processesOutput,
  releaseStoppedOutput,
  resizePty,
  unlessHungUp,
} from './pty.ts';

/** Terminal A carries stdin and stdout (in `merged` mode everything), terminal B stderr. */
export type TerminalSide = 'a' | 'b';

export interface TerminalOptions {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** `split`: stderr has a separate terminal. `merged`: one terminal, as in an interactive shell. */
  mode: 'split' | 'merged';
  cols: number;
  rows: number;
  echo: boolean;
  /** Random value that marks every process of this terminal in its environment. */
  marker: string;
  /** How long orphans may keep running after the command before they are ended. */
  lingerMs: number;
  killGraceMs: number;
  /** The bytes are valid only during the call. Called in the order of reading. */
  onOutput(side: TerminalSide, bytes: Buffer): void;
  /** This process runs only this terminal; orphans with a cleared environment then also belong to it. */
  exclusive?: boolean;
  /** A process that must not be ended with the tree. */
  spare?: () => number | null;
  /** Whether the program is already running and could act on a signal; by default true. */
  hasBegun?: () => boolean;
  confinement?: Confinement | null;
}

export interface TerminalExit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

export interface TerminalEnd extends TerminalExit {
  /** False if draining timed out: the last bytes may be missing. */
  drained: boolean;
  /** The program turned output processing on; its line ends may then differ from what it wrote. */
  outputProcessingRestored: boolean;
  /** Processes that were still alive after the command and were ended. */
  leftBehind: number;
}

/**
 * Maximum silence of a terminal whose marker is still to come, and of one that cannot deliver it: 5 s and 0.2 s.
 * Counted in polls between which the event loop read all available data, so that a suspended process gives up nothing.
 */
const DRAIN_POLL_MS = 100;
const DRAIN_POLLS = 50;
const DRAIN_POLLS_WITHOUT_MARKER = 2;
const READ_BUFFER_BYTES = 64 * 1024;

interface Side {
  name: TerminalSide;
  pty: Pty;
  reader: tty.ReadStream;
  /** Set while draining. */
  drain: { scanner: MarkerScanner; silentPolls: number; found(): void } | null;
}

/**
 * Runs a command on real pseudo-terminals without losing a byte: we hold the slaves open, so that no hang-up can cut
 * reading short, and after the exit read each master up to a marker that we write ourselves.
 */
export class Terminal {
  readonly pid: number;
  /** Device names of the two terminals; the same name twice in `merged` mode. */
  readonly devices: { a: string; b: string };
  readonly tree: TreeIdentity;
  /** The command's own exit; output may still follow. */
  readonly exited: Promise<TerminalExit>;
  /** Exit known, orphans gone, every byte read, terminals closed. */
  readonly ended: Promise<TerminalEnd>;
  readonly #options: TerminalOptions;
  readonly #sides: Side[] = [];
  readonly #child: ChildProcess;
  /** In `split` mode, where a key may be for either terminal. */
  readonly #keys: KeyInput | null;
  #paused = false;
  #closed = false;
  #exited = false;
  #translatesNewlines = false;

  static start(options: TerminalOptions): Terminal {
    adoptOrphans();
    return new Terminal(options);
  }

  private constructor(options: TerminalOptions) {
    this.#options = options;
    const merged = options.mode === 'merged';
    const passed: number[] = [];
    let gate: Gate | undefined;
    const ptyOptions = { cols: options.cols, rows: options.rows, echo: options.echo, outputProcessing: merged };
    try {
      this.#sides.push(this.#openSide('a', openPty(ptyOptions)));
      if (!merged) this.#sides.push(this.#openSide('b', openPty(ptyOptions)));
      const a = this.#sides[0]!.pty;
      const b = this.#sides[1]?.pty ?? a;
      this.devices = { a: a.path, b: b.path };
      gate = options.confinement?.gate(options.argv, 3);
      if (gate) passed.push(gate.descriptor);
      this.#child = launch({
        argv: gate?.argv ?? options.argv,
        cwd: options.cwd,
        env: options.env,
        marker: options.marker,
        stdio: [a.programSlave, a.programSlave, b.programSlave, ...passed],
        hangUp: merged,
      });
      if (gate) options.confinement!.admit(this.#child.pid ?? -1, gate);
    } catch (cause) {
      // Node throws some errors, such as for an overlong command line, and emits others.
      gate?.close();
      this.#close();
      throw cause instanceof TachoError ? cause : startFailure(cause as Error);
    } finally {
      for (const { pty } of this.#sides) fs.closeSync(pty.programSlave);
      for (const fd of passed) fs.closeSync(fd);
    }
    this.exited = new Promise((resolve, reject) => {
      this.#child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
      this.#child.once('error', (cause) => reject(startFailure(cause)));
    });
    this.pid = this.#child.pid ?? -1;
    this.tree = {
      leader: this.pid,
      leaderStartTime: readProcessStat(this.pid)?.startTime ?? '',
      marker: options.marker,
      exclusive: options.exclusive ?? false,
      ...(options.spare ? { spare: options.spare } : {}),
      ...(options.hasBegun ? { hasBegun: options.hasBegun } : {}),
    };
    const [a, b] = this.#sides;
    this.#keys = b ? new KeyInput({ a: this.#keySide(a!), b: this.#keySide(b), leader: this.pid }) : null;
    beginTag(options.marker);
    this.ended = this.#finish();
    const removeFatalHook = beforeFatalExit(() => signalTree(this.tree, 'SIGKILL'), { last: true });
    this.ended.then(removeFatalHook, removeFatalHook);
    // A caller may use only one of the two promises.
    this.exited.catch(() => {});
    this.ended.catch(() => {});
  }

  /** Types keys on the terminal where the program reads them; resolves when they were accepted. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#closed) return;
    await (this.#keys ? this.#keys.write(bytes) : this.feed(bytes));
    if (holdsSuspendKey(bytes)) void continueSuspended(this.pid, () => this.#exited);
  }

  /** Queues bytes for terminal A unchanged; resolves when they were accepted. */
  feed(bytes: Uint8Array): Promise<void> {
    return this.#closed ? Promise.resolve() : writeTo(this.#sides[0]!, bytes);
  }

  /** The slave of terminal A, for querying unread input and modes. */
  get inputSlave(): number {
    return this.#sides[0]!.pty.slave;
  }

  get closed(): boolean {
    return this.#closed;
  }

  resize(cols: number, rows: number): void {
    if (this.#closed) return;
    // Only the resize of A, the controlling terminal, sends a signal: B gets its new size before that.
    for (const side of this.#sides.toReversed()) unlessHungUp(() => resizePty(side.pty, cols, rows));
  }

  /**
   * The program expects the display to start a new line at LF. After the end: its last state, for output not shown yet.
   */
  expectsNewlineTranslation(): boolean {
    const [a, b] = this.#sides;
    if (this.#closed) return this.#translatesNewlines;
    const translates = unlessHungUp(() => expectsNewlineTranslation((b && isForB(a!.pty, b.pty) ? b : a!).pty));
    this.#translatesNewlines = translates ?? this.#translatesNewlines;
    return this.#translatesNewlines;
  }

  /** Backpressure: the program blocks when its terminal is full, and nothing is lost. */
  pause(): void {
    this.#paused = true;
    for (const side of this.#sides) side.reader.pause();
  }

  resume(): void {
    this.#paused = false;
    for (const side of this.#sides) side.reader.resume();
  }

  signal(signal: NodeJS.Signals): number {
    return signalTree(this.tree, signal);
  }

  /** Ends the whole tree: SIGTERM, a grace period, SIGKILL. */
  kill(graceMs = this.#options.killGraceMs): Promise<number> {
    return endTree(this.tree, graceMs);
  }

  #openSide(name: TerminalSide, pty: Pty): Side {
    const side: Side = { name, pty, drain: null, reader: undefined as unknown as tty.ReadStream };
    // One buffer for all reads: receivers copy what they keep.
    const onread = {
      buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
      callback: (count: number, buffer: Uint8Array) => this.#read(side, buffer as Buffer, count),
    };
    side.reader = new tty.ReadStream(pty.master, { onread } as ConstructorParameters<typeof tty.ReadStream>[1]);
    side.reader.on('error', () => {}); // EIO: the program hung its terminal up, or the drain timeout destroyed it.
    side.reader.resume();
    return side;
  }

  #keySide(side: Side): KeySide {
    return {
      pty: side.pty,
      isOpen: () => !this.#closed && !side.reader.destroyed,
      write: (bytes) => writeTo(side, bytes),
    };
  }

  #read(side: Side, buffer: Buffer, count: number): boolean {
    const bytes = buffer.subarray(0, count);
    const output = side.drain ? side.drain.scanner.push(bytes) : bytes;
    if (output.length > 0) this.#options.onOutput(side.name, output);
    if (side.drain) side.drain.silentPolls = 0;
    if (side.drain?.scanner.found) side.drain.found();
    return !this.#paused;
  }

  async #finish(): Promise<TerminalEnd> {
    try {
      const exit = await this.exited;
      this.#exited = true;
      this.expectsNewlineTranslation();
      const leftBehind = await this.#awaitOrphans();
      const outputProcessingRestored =
        this.#options.mode === 'split' &&
        this.#sides.some((side) => unlessHungUp(() => processesOutput(side.pty)) === true);
      const drained = await this.#drain();
      return { ...exit, drained, outputProcessingRestored, leftBehind };
    } finally {
      this.#close();
    }
  }

  /** Orphans such as `exec > >(cat)` may still be printing; those that do not end by themselves are ended. */
  async #awaitOrphans(): Promise<number> {
    const hasSurvivors = watchSurvivors(this.tree);
    let waited = 0;
    for (let wait = 1; hasSurvivors(); wait = Math.min(wait * 2, 20)) {
      // There is no user left to type ^Q.
      if (wait === 1) for (const side of this.#sides) unlessHungUp(() => releaseStoppedOutput(side.pty));
      if (waited >= this.#options.lingerMs) return await endTree(this.tree, this.#options.killGraceMs);
      const since = performance.now();
      await sleep(wait);
      // While we do not read, they are blocked.
      if (!this.#paused) waited += performance.now() - since;
    }
    return 0;
  }

  async #drain(): Promise<boolean> {
    const results = await Promise.all(this.#sides.map((side) => this.#drainSide(side)));
    return results.every(Boolean);
  }

  async #drainSide(side: Side): Promise<boolean> {
    const marker = Buffer.from(randomBytes(24).toString('base64url'));
    const scanner = new MarkerScanner(marker);
    unlessHungUp(() => prepareForMarker(side.pty));
    // Asynchronous, on a pool thread: the terminal may be full, and the thread that empties it must not block.
    const written = writeMarker(side.pty.slave, marker);
    const drained = await this.#untilFound(side, scanner, written);
    const held = scanner.flush();
    if (held.length > 0) this.#options.onOutput(side.name, held);
    // Destroying the master also frees a marker write that is stuck in the pool; the descriptor may only be closed
    // after that, or the write could go to a file opened next with the same number.
    side.reader.destroy();
    await written;
    return drained;
  }

  /** False if the terminal stays silent for too long without the marker. */
  #untilFound(side: Side, scanner: MarkerScanner, written: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      let maxSilentPolls = DRAIN_POLLS;
      void written.then((whole) => {
        if (!whole) maxSilentPolls = DRAIN_POLLS_WITHOUT_MARKER;
      });
      const finish = (found: boolean): void => {
        clearInterval(watch);
        resolve(found);
      };
      const drain = { scanner, silentPolls: 0, found: () => finish(true) };
      const watch = setInterval(() => {
        if (!this.#paused && ++drain.silentPolls > maxSilentPolls) finish(false);
      }, DRAIN_POLL_MS);
      side.drain = drain;
    });
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    endTag(this.#options.marker);
    for (const side of this.#sides) {
      side.reader.destroy();
      fs.closeSync(side.pty.slave);
    }
  }
}

function writeTo({ reader }: Side, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => reader.write(bytes, () => resolve()));
}

/** True if everything was written. A signal may interrupt a write to a terminal; then the rest follows. */
function writeMarker(slave: number, marker: Buffer, from = 0): Promise<boolean> {
  return new Promise((resolve) => {
    fs.write(slave, marker, from, (error, written) => {
      if (error) resolve(false);
      else if (from + written >= marker.length) resolve(true);
      else resolve(writeMarker(slave, marker, from + written));
    });
  });
}
