import type { CommandResult } from '../../protocol/terminal/index.ts';
import type { WatchLimits } from '../limits/confinement.ts';
import { PipedProgram } from '../piped-program.ts';
import { readCwd } from '../processes/proc.ts';
import { endOrphans, endTree, signalTree, type TreeIdentity } from '../processes/process-tree.ts';
import { sandboxLineage } from '../processes/sandbox-lineage.ts';
import { type Captures, type CommandRequest, PipedSession } from './piped-session.ts';
import type { SessionOptions } from './session.ts';
import { pipeInput } from './session-input.ts';

export interface ExecCommand extends CommandRequest {
  argv: readonly string[];
}

/** One program, without a shell. The session ends with it. */
export class ExecSession extends PipedSession {
  /** How it ended. A process left behind that holds its output open delays this at most by the linger time. */
  result!: Promise<CommandResult>;
  readonly #command: ExecCommand;
  readonly #captures: Captures;
  #abort: 'timeout' | 'cancel' | null = null;

  /** Resolves when the program is running. */
  static async start(options: SessionOptions, command: ExecCommand): Promise<ExecSession> {
    const session = new ExecSession(options, command);
    await session.#start();
    return session;
  }

  private constructor(options: SessionOptions, command: ExecCommand) {
    super(options);
    this.#command = command;
    this.#captures = this.capture(command);
  }

  get argv(): readonly string[] {
    return this.#command.argv;
  }

  get execId(): string | null {
    return this.end ? null : this.#command.execId;
  }

  get tree(): TreeIdentity {
    return this.program.tree;
  }

  protected get busy(): boolean {
    return !this.end;
  }

  signal(signal: NodeJS.Signals): number {
    return this.end ? 0 : signalTree(this.tree, signal);
  }

  /** Ends the program; false if it has already ended. */
  async cancel(execId: string): Promise<boolean> {
    if (this.end || execId !== this.#command.execId) return false;
    await this.#endTree('cancel');
    return true;
  }

  protected currentCwd(): string | null {
    return readCwd(this.options.entry ? sandboxLineage(this.pid).at(-1)! : this.pid);
  }

  async #start(): Promise<void> {
    const begun = performance.now();
    const exceeded = this.options.confinement?.watch() ?? null;
    this.program = await PipedProgram.start({
      argv: this.argv,
      cwd: this.options.cwd,
      env: this.options.environment,
      marker: this.options.marker,
      stdin: this.#command.input === 'empty' ? 'empty' : 'pipe',
      entry: this.options.entry,
      confinement: this.options.confinement,
      onOutput: (stream, bytes) => {
        this.receive(stream, bytes);
        this.#captures[stream].append(bytes);
      },
    });
    this.enter('running');
    this.#openInput();
    this.result = this.#awaitEnd(begun, exceeded);
  }

  /** Bytes that came with the command are its whole input; otherwise clients may write to it. */
  #openInput(): void {
    const { input } = this.#command;
    if (typeof input !== 'string') {
      this.program.input!.end(input);
      this.options.recording?.input(Buffer.from(input));
    } else if (this.program.input) this.input = pipeInput(this.program.input);
  }

  async #awaitEnd(begun: number, exceeded: WatchLimits | null): Promise<CommandResult> {
    const { timeoutMs, execId, encoding } = this.#command;
    const timer = timeoutMs === null ? null : setTimeout(() => this.#endTree('timeout').catch(() => {}), timeoutMs);
    const exit = await this.program.exited;
    if (timer) clearTimeout(timer);
    this.program.drain();
    const limitExceeded = exceeded?.(exit) ?? null;
    this.markExited(exit, { limitExceeded, entryFailed: this.program.hasFailedEntry() });
    const closed = await this.#linger();
    // An aborted command has ended when none of its processes is left.
    const rest = this.#endRest();
    if (this.#abort) await rest;
    return {
      exec_id: execId,
      session_id: this.id,
      exit_code: exit.exitCode,
      signal: exit.signal,
      timed_out: this.#abort === 'timeout',
      canceled: this.#abort === 'cancel',
      limit_exceeded: limitExceeded,
      closed: closed || this.closed,
      duration_ms: performance.now() - begun,
      session_state: this.state,
      run_id: this.options.recording?.runId ?? null,
      stdout: this.#captures.stdout.finish(encoding),
      stderr: this.#captures.stderr.finish(encoding),
    };
  }

  /** True if no process holds the output open any more. */
  async #linger(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.options.linger_ms);
    });
    const closed = await Promise.race([this.program.closed.then(() => true), timeout]);
    clearTimeout(timer);
    this.program.drain();
    return closed;
  }

  async #endRest(): Promise<void> {
    try {
      await endOrphans(this.tree, this.#command.killGraceMs);
    } catch {
      // Not found in time, for lack of descriptors. The session ends anyway.
    } finally {
      this.program.close();
      this.markClosed();
    }
  }

  #endTree(why: 'timeout' | 'cancel'): Promise<number> {
    this.#abort ??= why;
    return endTree(this.tree, this.#command.killGraceMs);
  }
}
