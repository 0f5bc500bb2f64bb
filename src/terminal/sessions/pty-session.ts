import { every } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { RuntimeResult } from '../../protocol/terminal/index.ts';
import { limitUnavailable } from '../limits/resource-limits.ts';
import { readCwd } from '../processes/proc.ts';
import type { TreeIdentity } from '../processes/process-tree.ts';
import { heldInSandbox, sandboxLineage } from '../processes/sandbox-lineage.ts';
import type { ScreenPicture } from '../screen/read-screen.ts';
import type { OpenScreen, Screen } from '../screen/screen.ts';
import { Terminal } from '../terminal.ts';
import { Session, type SessionOptions, STREAMS } from './session.ts';
import { SessionInput } from './session-input.ts';
import { programOf } from './session-program.ts';

const HANG_UP_MS = 250;

/** A program on a terminal, as in an interactive shell: one stream, keys, a size, and several attached clients. */
export class PtySession extends Session {
  /** Throws if the program could not be started. */
  static async start(options: SessionOptions, openScreen: OpenScreen | null): Promise<PtySession> {
    const session = new PtySession(options, openScreen);
    // Some failures are reported by an event.
    if (session.pid < 0) await session.#terminal.exited;
    return session;
  }

  readonly argv: readonly string[];
  readonly #terminal: Terminal;
  readonly #screen: Screen | null;

  private constructor(options: SessionOptions, openScreen: OpenScreen | null) {
    super(options, options.split ? STREAMS : ['stdout']);
    this.argv = programOf(options);
    this.#screen = openScreen?.({ cols: options.cols, rows: options.rows, bareLineFeeds: options.split }) ?? null;
    this.#terminal = Terminal.start({
      argv: this.argv,
      cwd: options.cwd,
      env: options.environment,
      entry: options.entry,
      mode: options.split ? 'split' : 'merged',
      cols: options.cols,
      rows: options.rows,
      echo: true,
      marker: options.marker,
      lingerMs: options.linger_ms,
      killGraceMs: options.kill_grace_ms,
      confinement: options.confinement,
      ...(options.entry ? heldInSandbox(() => this.pid) : {}),
      onOutput: (side, bytes) => {
        this.receive(side === 'a' ? 'stdout' : 'stderr', bytes);
        this.#screen?.write(bytes);
      },
    });
    this.input = new SessionInput({
      write: (bytes, taken) => void this.#terminal.write(bytes).then(taken),
      end: () => {
        throw new TachoError('INVALID_PARAMS', 'the input of a terminal has no end', { fix: 'Write ^D (\\u0004).' });
      },
    });
    this.#awaitEnd().catch(() => {});
    this.enter('running');
  }

  get pid(): number {
    return this.#terminal.pid;
  }

  get tree(): TreeIdentity {
    return this.#terminal.tree;
  }

  get execId(): null {
    return null;
  }

  protected get busy(): boolean {
    return this.attached.size > 0;
  }

  signal(signal: NodeJS.Signals): number {
    return this.end ? 0 : this.#terminal.signal(signal);
  }

  override resize(cols: number, rows: number): void {
    this.refuseWhenTerminated();
    this.touch();
    // First: it may be too large to keep.
    this.#screen?.resize(cols, rows);
    this.options.cols = cols;
    this.options.rows = rows;
    this.#terminal.resize(cols, rows);
    this.options.recording?.resized(cols, rows);
  }

  /** The current screen, and the cursor from which output continues. */
  async attach(clientId: string): Promise<RuntimeResult<'session.attach'>> {
    this.attached.add(clientId);
    this.touch();
    const { cols, rows } = this.options;
    const { stdout, stderr } = this.streams;
    if (!this.#screen) return { snapshot: null, next: stdout!.start, next_stderr: stderr?.start ?? null, cols, rows };
    const { end: next } = stdout!;
    const next_stderr = stderr?.end ?? null;
    return { snapshot: await this.#screen.snapshot(), next, next_stderr, cols, rows };
  }

  /** The text that the screen shows now. */
  async picture(): Promise<ScreenPicture> {
    this.touch();
    if (!this.#screen) throw limitUnavailable({ screen: 'this runtime keeps none' });
    return await this.#screen.picture();
  }

  detach(clientId: string): void {
    this.attached.delete(clientId);
    this.touch();
  }

  protected pauseOutput(): void {
    this.#terminal.pause();
  }

  protected resumeOutput(): void {
    this.#terminal.resume();
  }

  protected currentCwd(): string | null {
    return readCwd(this.options.entry ? sandboxLineage(this.pid).at(-1)! : this.pid);
  }

  protected async stop(): Promise<void> {
    // Like closing a terminal: an interactive shell ignores SIGTERM. It can also miss a SIGHUP that arrives just before
    // it waits for the next key, so the signal is repeated.
    const hangUp = () => void this.#terminal.signal('SIGHUP');
    hangUp();
    const repeated = every(HANG_UP_MS, hangUp, { onError: () => {} });
    try {
      await this.#terminal.kill(this.options.kill_grace_ms);
    } finally {
      repeated.stop();
    }
  }

  async #awaitEnd(): Promise<void> {
    const exceeded = this.options.confinement?.watch();
    try {
      const exit = await this.#terminal.exited;
      this.markExited(exit, {
        limitExceeded: exceeded?.(exit) ?? null,
        entryFailed: this.#terminal.hasFailedEntry(),
      });
      this.terminalEnd = await this.#terminal.ended;
    } finally {
      this.markExited({ exitCode: null, signal: null });
      this.markClosed();
    }
  }
}
