import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeFatalExit, readProcessStat } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';
import { isForB, KeyInput, type KeySide } from './key-input.ts';
import { launch, startFailure } from './launch.ts';
import type { Confinement } from './limits/confinement.ts';
import type { Gate } from './limits/gate.ts';
import { adoptOrphans } from './processes/orphans.ts';
import { endTree, signalTree, type TreeIdentity, watchSurvivors } from './processes/process-tree.ts';
import { beginTag, endTag } from './processes/session-tag.ts';
import { continueSuspended, holdsSuspendKey } from './processes/suspended.ts';
import {
  expectsNewlineTranslation,
  openPty,
  processesOutput,
  releaseStoppedOutput,
  resizePty,
  unlessHungUp,
} from './pty.ts';
import { PtyReader } from './pty-reader.ts';
import { EntryDescriptors, type SandboxEntry } from './sandbox-entry.ts';

/** Terminal A carries stdin and stdout (in `merged` mode everything), terminal B stderr. */
export type TerminalSide = 'a' | 'b';

export interface TerminalOptions {
  argv: readonly string[];
  cwd: string;
  /** Of the program. The entry of a sandbox gets none of it. */
  env: Record<string, string>;
  /** Starts the program in a sandbox. */
  entry?: SandboxEntry | null;
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

/** Runs a command on real pseudo-terminals without losing a byte. */
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
  /** Terminal A, and in `split` mode B. */
  readonly #sides: PtyReader[] = [];
  readonly #child: ChildProcess;
  #entry: EntryDescriptors | null = null;
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
      for (const side of merged ? (['a'] as const) : (['a', 'b'] as const)) {
        this.#sides.push(new PtyReader(openPty(ptyOptions), (bytes) => options.onOutput(side, bytes)));
      }
      const a = this.#sides[0]!.pty;
      const b = this.#sides[1]?.pty ?? a;
      this.devices = { a: a.path, b: b.path };
      const argv = [...(options.entry?.argv ?? []), ...options.argv];
      if (options.entry) this.#entry = new EntryDescriptors(options.entry);
      passed.push(...(this.#entry?.passed ?? []));
      gate = options.confinement?.gate(argv, 3 + passed.length);
      if (gate) passed.push(gate.descriptor);
      this.#child = launch({
        argv: gate?.argv ?? argv,
        cwd: options.cwd,
        env: options.entry ? {} : options.env,
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
    return this.#closed ? Promise.resolve() : this.#sides[0]!.write(bytes);
  }

  /** The slave of terminal A, for querying unread input and modes. */
  get inputSlave(): number {
    return this.#sides[0]!.pty.slave;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Of a program that has exited: its sandbox failed before it began. */
  hasFailedEntry(): boolean {
    return this.#entry?.hasFailed() ?? false;
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
    for (const side of this.#sides) side.pause();
  }

  resume(): void {
    this.#paused = false;
    for (const side of this.#sides) side.resume();
  }

  signal(signal: NodeJS.Signals): number {
    return signalTree(this.tree, signal);
  }

  /** Ends the whole tree: SIGTERM, a grace period, SIGKILL. */
  kill(graceMs = this.#options.killGraceMs): Promise<number> {
    return endTree(this.tree, graceMs);
  }

  #keySide(side: PtyReader): KeySide {
    return {
      pty: side.pty,
      isOpen: () => !this.#closed && !side.destroyed,
      write: (bytes) => side.write(bytes),
    };
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
      const drained = await Promise.all(this.#sides.map((side) => side.drain()));
      return { ...exit, drained: drained.every(Boolean), outputProcessingRestored, leftBehind };
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

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    endTag(this.#options.marker);
    this.#entry?.close();
    for (const side of this.#sides) side.close();
  }
}
