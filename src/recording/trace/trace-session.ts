import { isRunning } from '../../files/index.ts';
import { TachoError, type TracedWrite } from '../../protocol/index.ts';
import { AttemptFile } from '../attempt-file.ts';
import { type Attribution, createAttribution } from './attribution.ts';
import type { Peek } from './choose-first.ts';
import { probeStrace, type StraceFound } from './probe-strace.ts';
import { straceArguments } from './strace-arguments.ts';
import { TraceFifo } from './trace-fifo.ts';
import { tracerOf } from './tracer-process.ts';

export interface TraceSessionOptions {
  /** Private folder for the trace pipe; its files are removed at the end. */
  folder: string;
  /** Where to keep the raw trace, which is then complete and larger. The file must not exist. */
  keepPath?: string;
  /** The recorded bytes, which determine the order of concurrent writes. */
  peek?: Peek;
  onWrite(write: TracedWrite): void;
}

/** The traced command and the two terminals it was started on. */
export interface TracedCommand {
  pid: number;
  /** Devices, e.g. `/dev/pts/3`. */
  stdout: string;
  stderr: string;
}

// While the command is running, the tracer is found at the first try; where /proc hides it, more tries do not help.
const MAX_TRIES = 10;

/**
 * A trace of one command, read while it runs. Call `open`, start the command given by `argv`, call `attach` in the same
 * turn, and wait for `finished` when the command has exited and the recording is complete.
 */
export class TraceSession {
  readonly #options: TraceSessionOptions;
  readonly #strace: StraceFound;
  readonly #fifo: TraceFifo;
  /** The raw trace, if it is kept; open until the session is abandoned. */
  readonly kept: AttemptFile | null;
  #keepError: unknown = null;
  #attribution: Attribution | null = null;
  #pid: number | null = null;
  #tracer: ReturnType<typeof tracerOf> = null;
  /** How often the tracer was not found. */
  #tries = 0;
  #isOver = false;

  /** Throws TRACE_UNAVAILABLE, with what to install or change, if commands cannot be traced. */
  static async open(options: TraceSessionOptions): Promise<TraceSession> {
    const probe = await probeStrace();
    if (!probe.ok) throw new TachoError('TRACE_UNAVAILABLE', probe.reason, { fix: probe.fix });
    return new TraceSession(options, probe);
  }

  private constructor(options: TraceSessionOptions, strace: StraceFound) {
    this.#options = options;
    this.#strace = strace;
    this.#fifo = new TraceFifo(options.folder, (bytes) => this.#read(bytes));
    const { keepPath } = options;
    try {
      this.kept = keepPath === undefined ? null : new AttemptFile(keepPath);
    } catch (error) {
      this.#fifo.close();
      throw error;
    }
  }

  /** The command line that runs `command` traced; its pid, exit code and signal are the command's. */
  argv(command: readonly string[]): string[] {
    const { path, seccompBpf } = this.#strace;
    const isKept = this.kept !== null;
    return [path, ...straceArguments({ output: this.#fifo.path, isKept, seccompBpf }), ...command];
  }

  /** Starts reading. Before that, the command blocks once the pipe is full. */
  attach({ pid, stdout, stderr }: TracedCommand): void {
    const { peek, onWrite } = this.#options;
    this.#pid = pid;
    this.#attribution = createAttribution({ stdout, stderr, onWrite, ...(peek ? { peek } : {}) });
    this.#fifo.start();
  }

  /** Processes, byte counts and the summary, so far. */
  get attribution(): Attribution {
    if (!this.#attribution) throw new TachoError('INTERNAL', 'the trace was asked for before its command was known');
    return this.#attribution;
  }

  /** The tracer, which must outlive what it traces; null before it has started and after it has exited. */
  tracerPid(): number | null {
    if (this.#tracer && !isRunning(this.#tracer)) return null;
    this.#tracer ??= this.#pid === null ? null : tracerOf(this.#pid);
    for (const { pid, exit } of this.#attribution?.processes ?? []) {
      if (this.#tracer) break;
      if (!exit) this.#tracer = tracerOf(pid);
    }
    return this.#tracer?.pid ?? null;
  }

  /**
   * Waits for the tracer's exit, which is the end of the trace, and assigns positions to all pending writes. Resolves
   * with false if the deadline passed first: something is still being traced.
   */
  async finished({ deadlineMs }: { deadlineMs: number }): Promise<boolean> {
    this.#fifo.start();
    this.#fifo.expectEnd();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<'deadline'>((resolve) => {
      timer = setTimeout(resolve, deadlineMs, 'deadline');
    });
    const isComplete = (await Promise.race([this.#fifo.ended, deadline])) !== 'deadline';
    clearTimeout(timer);
    this.#isOver = true;
    if (!isComplete) this.#attribution?.report('TRACER_STILL_RUNNING', `Waited ${deadlineMs} ms.`);
    this.#attribution?.end();
    if (isComplete) this.#fifo.close();
    else this.#fifo.unref();
    return isComplete;
  }

  /** Stops at once, for example when the command could not be started. */
  abandon(): void {
    this.kept?.close();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#fifo.close();
  }

  #read(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#tries < MAX_TRIES && this.tracerPid() === null) this.#tries++;
    else this.#tries = MAX_TRIES;
    if (this.kept && !this.#keepError) {
      try {
        this.kept.append([bytes]);
      } catch (error) {
        // The run continues; only a copy is lost.
        this.#keepError = error;
        this.#attribution?.report('TRACE_NOT_KEPT', (error as Error).message);
      }
    }
    this.#attribution?.push(bytes);
  }
}
