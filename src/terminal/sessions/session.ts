import { TachoError } from '../../protocol/index.ts';
import type {
  CheckedParams,
  CreateSession,
  ExceededLimit,
  RuntimeResult,
  SessionEndReason,
  SessionInfo,
  SessionState,
  StreamName,
} from '../../protocol/terminal/index.ts';
import { encodeBytes, incompleteEnd } from '../encode-bytes.ts';
import type { Confinement } from '../limits/confinement.ts';
import type { TreeIdentity } from '../processes/process-tree.ts';
import type { SandboxEntry } from '../sandbox-entry.ts';
import type { TerminalEnd, TerminalExit } from '../terminal.ts';
import { OutputBuffer } from './output-buffer.ts';
import type { InputWrite, InputWritten, SessionInput } from './session-input.ts';
import type { SessionRecording } from './session-recording.ts';

export interface SessionOptions extends CreateSession {
  id: string;
  cwd: string;
  /** What the program gets besides the marker. */
  environment: Record<string, string>;
  /** Random value that marks every process of the session in its environment. */
  marker: string;
  /** Starts the program in a sandbox; null without one. */
  entry: SandboxEntry | null;
  entered: { made: readonly string[]; leave(): void } | null;
  confinement: Confinement | null;
  recording: SessionRecording | null;
}

interface HowExited {
  limitExceeded?: ExceededLimit | null;
  /** Its sandbox failed before the program began. */
  entryFailed?: boolean;
}

export const STREAMS: readonly StreamName[] = ['stdout', 'stderr'];

/** Time before another attempt to end a session that could not be ended. */
const RETRY_MS = 1000;

/** What all kinds of sessions have in common. */
export abstract class Session {
  readonly id: string;
  readonly options: SessionOptions;
  readonly streams: Partial<Record<StreamName, OutputBuffer>> = {};
  /** All processes are gone and all output was read. */
  readonly whenClosed: Promise<void>;
  /** The recording is sealed as well. */
  readonly whenSealed: Promise<void>;
  protected readonly attached = new Set<string>();
  protected input: SessionInput | null = null;
  /** How its terminal ended, if it has one. */
  protected terminalEnd: TerminalEnd | null = null;
  #state: SessionState = 'creating';
  #end: SessionInfo['end'] = null;
  #begun = false;
  #closed = false;
  #sealed = false;
  #reason: SessionEndReason | null = null;
  #lastCwd: string;
  #activeAt = Date.now();
  #reading = 0;
  readonly #createdAt = new Date();
  readonly #timers: NodeJS.Timeout[] = [];
  #resolveClosed!: () => void;

  constructor(options: SessionOptions, streams: readonly StreamName[]) {
    this.id = options.id;
    this.options = options;
    this.#lastCwd = options.cwd;
    for (const stream of streams) this.streams[stream] = new OutputBuffer(options.buffer_bytes);
    this.whenClosed = new Promise((resolve) => {
      this.#resolveClosed = () => resolve(options.confinement?.end());
    });
    this.whenSealed = this.#seal();
  }

  abstract readonly pid: number | null;
  abstract readonly tree: TreeIdentity;
  /** The current command. */
  abstract readonly execId: string | null;
  abstract readonly argv: readonly string[];
  /** Sends a signal to the foreground processes; returns how many it reached. */
  abstract signal(signal: NodeJS.Signals): number;
  /** The current working folder of the session; null if unknown. */
  protected abstract currentCwd(): string | null;
  /** Ends every process; `markExited` and `markClosed` are called as a result. */
  protected abstract stop(): Promise<void>;
  /** Stops reading from the program until it is resumed. */
  protected abstract pauseOutput(): void;
  protected abstract resumeOutput(): void;
  /** The session is in use although no client calls. */
  protected abstract get busy(): boolean;

  get state(): SessionState {
    return this.#state;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get end(): SessionInfo['end'] {
    return this.#end;
  }

  info(): SessionInfo {
    const { kind, name, environment, recording } = this.options;
    if (this.#end === null) this.#lastCwd = this.currentCwd() ?? this.#lastCwd;
    const streams: SessionInfo['streams'] = {};
    for (const [stream, { start, end, closed }] of Object.entries(this.streams)) {
      streams[stream as StreamName] = { start, end, closed };
    }
    return {
      session_id: this.id,
      kind,
      name: name ?? null,
      state: this.#state,
      pid: this.pid,
      argv: [...this.argv],
      cwd: this.#lastCwd,
      limits: this.options.limits,
      sandbox: this.options.sandbox ?? null,
      env_names: Object.keys(environment).sort(),
      ...this.#size(),
      split: kind === 'pty' && this.options.split,
      attached: this.attached.size,
      created_at: this.#createdAt.toISOString(),
      active_at: new Date(this.#activeAt).toISOString(),
      exec_id: this.execId,
      recording: recording && { run_id: recording.runId, sealed: this.#sealed },
      exited: this.#end !== null,
      closed: this.#closed,
      end: this.#end,
      streams,
    };
  }

  async read(params: Omit<CheckedParams<'session.read'>, 'session_id'>): Promise<RuntimeResult<'session.read'>> {
    const buffer = this.streams[params.stream];
    if (!buffer) throw new TachoError('INVALID_PARAMS', `a ${this.options.kind} session has no ${params.stream}`);
    this.touch();
    this.#reading++;
    try {
      const read = await buffer.read({ after: params.after, maxBytes: params.max_bytes, waitMs: params.wait_ms });
      // A character cut at the end of this read is left for the next one; but at least one byte is always read.
      const cut = params.encoding === 'base64' || read.closed ? 0 : incompleteEnd(read.bytes);
      const left = cut < read.bytes.length ? cut : 0;
      const bytes = read.bytes.subarray(0, read.bytes.length - left);
      const { from, truncated_before, closed } = read;
      const next = read.next - left;
      return { ...encodeBytes(bytes, params.encoding), from, next, truncated_before, closed, ...this.#size() };
    } finally {
      this.#reading--;
      this.touch();
    }
  }

  write(write: InputWrite): InputWritten {
    // Also after the end: what was written then is known.
    const before = this.input?.findRepeated(write);
    if (before) return before;
    this.refuseWhenTerminated();
    if (!this.input) throw new TachoError('INVALID_PARAMS', 'the session takes no input');
    this.touch();
    const written = this.input.write(write);
    this.options.recording?.input(write.bytes);
    return written;
  }

  resize(_cols: number, _rows: number): void {
    throw new TachoError('INVALID_PARAMS', `a ${this.options.kind} session has no size`);
  }

  /** Stops reading from the program, for a slower reader that needs all output. Only while that reader is behind. */
  holdOutput(_stream: StreamName): void {}

  releaseOutput(_stream: StreamName): void {}

  /** Ends the session; resolves when nothing of it is left. */
  async destroy(reason: SessionEndReason = 'destroyed'): Promise<void> {
    this.#reason ??= reason;
    if (!this.#closed) await this.stop();
    await this.whenSealed;
  }

  refuseWhenTerminated(): void {
    if (this.#end === null) return;
    const limit = this.#end.reason === 'limit';
    const code = limit ? 'SESSION_LIMIT_EXCEEDED' : 'SESSION_TERMINATED';
    throw new TachoError(code, `the session ${this.id} has ended${limit ? ' at one of its limits' : ''}`, {
      facts: { session_id: this.id, ...this.#end },
    });
  }

  /** Passes output of the program to readers and to the recording. */
  protected receive(stream: StreamName, bytes: Buffer): void {
    this.streams[stream]!.append(bytes);
    this.options.recording?.output(stream, bytes);
  }

  protected touch(): void {
    this.#activeAt = Date.now();
  }

  /** Leaves `creating`, or switches between idle and running. */
  protected enter(state: 'idle' | 'running'): void {
    if (this.#state === 'terminated') return;
    if (this.#state === 'creating') this.begin();
    this.#state = state;
    this.touch();
  }

  protected markExited(
    { exitCode, signal }: TerminalExit,
    { limitExceeded = null, entryFailed = false }: HowExited = {},
  ): void {
    if (this.#end) return;
    this.#state = 'terminated';
    // A sandbox reports a program that was ended by a signal like a shell does.
    const ended = signal !== null || (exitCode ?? 0) > 128;
    const own = entryFailed && !signal ? 'failed' : signal ? 'killed' : 'exited';
    const reason = limitExceeded && ended ? 'limit' : own;
    this.#end = { exit_code: exitCode, signal, reason: this.#reason ?? reason };
    for (const timer of this.#timers) clearTimeout(timer);
  }

  protected markClosed(): void {
    this.#closed = true;
    for (const buffer of Object.values(this.streams)) buffer.close();
    this.#resolveClosed();
  }

  #size(): { cols: number | null; rows: number | null } {
    const { kind, cols, rows } = this.options;
    return kind === 'pty' ? { cols, rows } : { cols: null, rows: null };
  }

  async #seal(): Promise<void> {
    await this.whenClosed;
    this.#sealed = (await this.options.recording?.finish(this.#end, this.terminalEnd)) ?? false;
  }

  /** The program is running, but may not be ready yet. */
  protected begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const { life_ms: life, idle_ms: idle, recording } = this.options;
    recording?.started({
      pid: this.pid!,
      pause: () => this.pauseOutput(),
      resume: () => this.resumeOutput(),
      write: (bytes) => void this.write({ bytes, end: false }),
      resize: (cols, rows) => this.resize(cols, rows),
      end: (why) => this.#destroyWithRetry(why === 'canceled' ? 'destroyed' : 'failed'),
    });
    if (life !== undefined) this.#timers.push(setTimeout(() => this.#destroyWithRetry('life'), life).unref());
    if (idle !== undefined) this.#watchIdle(idle);
  }

  /** For timers and callbacks. Retries a session that cannot be ended now, because no caller would. */
  #destroyWithRetry(reason: SessionEndReason): void {
    this.destroy(reason).catch(() => void setTimeout(() => this.#destroyWithRetry(reason), RETRY_MS).unref());
  }

  #watchIdle(idleMs: number): void {
    const check = (): void => {
      if (this.#state === 'creating' || this.busy || this.#reading > 0 || this.attached.size > 0) this.touch();
      const left = this.#activeAt + idleMs - Date.now();
      if (left <= 0) this.#destroyWithRetry('idle');
      else this.#timers[0] = setTimeout(check, left).unref();
    };
    this.#timers.unshift(setTimeout(check, idleMs).unref());
  }
}
