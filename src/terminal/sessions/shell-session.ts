import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import { every } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { CommandResult, ExceededLimit, StreamName } from '../../protocol/terminal/index.ts';
import { openPipe } from '../libc.ts';
import type { WatchLimits } from '../limits/confinement.ts';
import { PipedProgram } from '../piped-program.ts';
import { commandProcesses, type Earlier, leftMore, listShellProcesses } from '../processes/command-tree.ts';
import { readCwd } from '../processes/proc.ts';
import {
  endOrphans,
  endProcesses,
  endTree,
  type Foreign,
  signalProcesses,
  type TreeIdentity,
} from '../processes/process-tree.ts';
import { sandboxLineage } from '../processes/sandbox-lineage.ts';
import { type ChosenShell, chooseShell } from '../shells/choose-shell.ts';
import type { ShellDialect } from '../shells/shell-dialect.ts';
import { StatusChannel } from '../status-channel.ts';
import type { TerminalExit } from '../terminal.ts';
import { CommandInput } from './command-input.ts';
import { type Captures, type CommandRequest, PipedSession } from './piped-session.ts';
import type { SessionOptions } from './session.ts';
import { pipeInput } from './session-input.ts';

export interface ShellCommand extends CommandRequest {
  text: string;
}

interface Running extends ShellCommand {
  nonce: string;
  earlier: Earlier;
  captures: Captures;
  /** Null unless the command is being ended. */
  abort: { why: 'timeout' | 'cancel'; done: Promise<void> } | null;
  /** The status; null if the shell ended with the command. */
  ended: Promise<number | null>;
}

/** How often an interrupt is repeated, and how long a shell without children may take to react on a busy machine. */
const INTERRUPT_INTERVAL_MS = 200;
const SHELL_GRACE_MS = 10_000;

/** A shell that keeps running between commands: changes to its state persist. */
export class ShellSession extends PipedSession {
  readonly argv: readonly string[];
  readonly #dialect: ShellDialect;
  readonly #commandInput = new CommandInput();
  #script!: net.Socket;
  #status!: StatusChannel;
  /** The shell's descriptor for reporting statuses. */
  #descriptor = 0;
  /** The shell's descriptor of the file with the input of a command. */
  #inputDescriptor = 0;
  #running: Running | null = null;
  #previousStatus = 0;
  /** The processes that contain the shell, outermost first, and the shell itself. */
  #shell: readonly number[] = [];
  /** Since the last command began or ended. */
  #exceeded: WatchLimits | null = null;
  #limitAtEnd: ExceededLimit | null = null;

  /** Resolves when the shell has responded for the first time. */
  static async start(options: SessionOptions): Promise<ShellSession> {
    const session = new ShellSession(options, chooseShell(options));
    try {
      await session.#start();
      return session;
    } catch (error) {
      // No client knows it: its processes are ended here, and its record is completed.
      if (session.program) await session.destroy('failed');
      else session.#commandInput.close();
      throw error;
    }
  }

  private constructor(options: SessionOptions, { argv, dialect }: ChosenShell) {
    super(options);
    this.argv = argv;
    this.#dialect = dialect;
  }

  get tree(): TreeIdentity {
    return { ...this.program.tree, shell: this.#shell };
  }

  get execId(): string | null {
    return this.#running?.execId ?? null;
  }

  protected get busy(): boolean {
    return this.#running !== null;
  }

  /** Runs one command until it ends, times out, or the shell ends. */
  async run(command: ShellCommand): Promise<CommandResult> {
    this.refuseWhenTerminated();
    if (this.#running) {
      const facts = { session_id: this.id, exec_id: this.#running.execId };
      throw new TachoError('SESSION_BUSY', `the session ${this.id} runs another command`, { facts });
    }
    const begun = performance.now();
    const running = this.#begin(command);
    const timer =
      command.timeoutMs === null ? null : setTimeout(() => this.#abort('timeout').catch(() => {}), command.timeoutMs);
    const status = await running.ended;
    if (timer) clearTimeout(timer);
    // When the status has arrived, all earlier output of the command is in the pipes.
    this.program.drain();
    await running.abort?.done;
    if (running.abort) this.program.drain();
    this.#running = null;
    if (typeof command.input !== 'string') this.#commandInput.clear();
    // An interrupted command has no status, and `set -e` would act on the one that the shell assigns.
    this.#previousStatus = running.abort ? 0 : (status ?? 0);
    this.enter('idle');
    const { why } = running.abort ?? { why: null };
    const limitExceeded = this.#limitAtEnd ?? this.#exceeded?.({ exitCode: status, signal: null }) ?? null;
    this.#watchLimits();
    const result: CommandResult = {
      exec_id: command.execId,
      session_id: this.id,
      exit_code: this.end ? this.end.exit_code : why ? null : status,
      signal: this.end?.signal ?? null,
      timed_out: why === 'timeout',
      canceled: why === 'cancel',
      limit_exceeded: limitExceeded,
      closed: this.closed || !leftMore(this.tree, running.earlier),
      duration_ms: performance.now() - begun,
      session_state: this.state,
      run_id: this.options.recording?.runId ?? null,
      stdout: running.captures.stdout.finish(command.encoding),
      stderr: running.captures.stderr.finish(command.encoding),
    };
    this.options.recording?.commandEnded(result);
    return result;
  }

  /** Ends the current command; false if it is no longer running. */
  async cancel(execId: string): Promise<boolean> {
    if (this.#running?.execId !== execId) return false;
    await this.#abort('cancel');
    return true;
  }

  signal(signal: NodeJS.Signals): number {
    if (!this.#running || this.end) return 0;
    return signalProcesses(commandProcesses(this.tree, this.#running.earlier), signal);
  }

  protected currentCwd(): string | null {
    return readCwd(this.#shellPid());
  }

  async #start(): Promise<void> {
    this.#watchLimits();
    const script = openPipe();
    const status = openPipe();
    try {
      this.program = await PipedProgram.start({
        argv: this.argv,
        cwd: this.options.cwd,
        env: this.options.environment,
        marker: this.options.marker,
        stdin: 'pipe',
        onOutput: (stream, bytes) => this.#take(stream, bytes),
        descriptors: [script.read, status.write, this.#commandInput.openReader()],
        entry: this.options.entry,
        confinement: this.options.confinement,
      });
    } catch (error) {
      fs.closeSync(script.write);
      fs.closeSync(status.read);
      throw error;
    }
    this.#script = new net.Socket({ fd: script.write, readable: false, writable: true });
    this.#script.on('error', () => {}); // EPIPE: the shell has ended, which its exit reports.
    this.#status = new StatusChannel(status.read);
    this.input = pipeInput(this.program.input!);
    void this.program.exited.then((exit) => this.#finish(exit));
    this.begin();
    const nonces = { status: makeNonce(), input: makeNonce() };
    const answers = [this.#status.expect(nonces.status), this.#status.expect(nonces.input)];
    this.#script.write(this.#dialect.setUp(nonces));
    const [descriptor, inputDescriptor] = await Promise.all(answers);
    if (typeof descriptor !== 'number' || typeof inputDescriptor !== 'number') throw this.#notReady();
    this.#descriptor = descriptor;
    this.#inputDescriptor = inputDescriptor;
    this.#shell = this.options.entry ? sandboxLineage(this.pid) : [this.pid];
    this.enter('idle');
  }

  /** No client knows the session's id, so only its run can be used to look it up. */
  #notReady(): TachoError {
    const { exit_code, signal, reason } = this.end ?? { exit_code: null, signal: null, reason: 'failed' };
    const { recording } = this.options;
    const limit = reason === 'limit';
    const how = limit ? 'reached one of its limits' : `ended (${signal ?? `exit ${exit_code}`})`;
    const why = limit ? 'Raise the limit.' : 'Check the shell and what it reads when it starts.';
    return new TachoError(
      limit ? 'SESSION_LIMIT_EXCEEDED' : 'COMMAND_UNAVAILABLE',
      `the shell ${this.argv[0]} ${how} before it was ready`,
      {
        facts: { program: this.argv[0], exit_code, signal, ...(recording ? { run_id: recording.runId } : {}) },
        fix: recording ? `${why} What it printed: tacho show ${recording.runId}` : why,
      },
    );
  }

  #begin(command: ShellCommand): Running {
    const nonce = makeNonce();
    const running: Running = {
      ...command,
      nonce,
      earlier: listShellProcesses(this.tree),
      captures: this.capture(command),
      abort: null,
      ended: this.#status.expect(nonce),
    };
    this.#running = running;
    this.options.recording?.commandBegan(command);
    this.#watchLimits();
    this.enter('running');
    this.#script.write(
      this.#dialect.runText({
        text: command.text,
        input: this.#inputPath(command),
        previousStatus: this.#previousStatus,
      }) + this.#report(nonce),
    );
    return running;
  }

  /** Null: the command reads the session's input. */
  #inputPath({ input }: ShellCommand): string | null {
    if (input === 'session') return null;
    if (input === 'empty') return '/dev/null';
    this.#commandInput.put(input);
    this.options.recording?.input(Buffer.from(input));
    return `/proc/self/fd/${this.#inputDescriptor}`;
  }

  /** Sends lines that make the shell report a status; null if the shell ended instead. */
  #ask(lines: (nonce: string) => string): Promise<number | null> {
    const nonce = makeNonce();
    const answer = this.#status.expect(nonce);
    this.#script.write(lines(nonce));
    return answer;
  }

  #report(nonce: string): string {
    return this.#dialect.reportStatus({ nonce, descriptor: this.#descriptor });
  }

  #undoInterrupt(): Promise<number | null> {
    return this.#ask((nonce) => this.#dialect.undoInterrupt({ nonce, descriptor: this.#descriptor }));
  }

  #take(stream: StreamName, bytes: Buffer): void {
    this.receive(stream, bytes);
    this.#running?.captures[stream].append(bytes);
  }

  /** All output of the shell was read; its remaining processes are ended afterwards. */
  #finish(exit: TerminalExit): void {
    this.program.drain();
    this.#limitAtEnd = this.#exceeded?.(exit) ?? null;
    this.markExited(exit, { limitExceeded: this.#limitAtEnd, entryFailed: this.program.hasFailedEntry() });
    this.#status.end();
    const close = (): void => {
      this.#script.destroy();
      this.#status.destroy();
      this.#commandInput.close();
      this.program.close();
      this.markClosed();
    };
    // Processes that could not be ended are left to the marker: the session ends anyway.
    endOrphans(this.tree, this.options.kill_grace_ms).then(close, close);
  }

  #abort(why: 'timeout' | 'cancel'): Promise<void> {
    const running = this.#running!;
    running.abort ??= { why, done: this.#endCommand(running) };
    return running.abort.done;
  }

  async #endCommand(running: Running): Promise<void> {
    const { tree } = this;
    // `exec program`: the shell is the command.
    if (this.#status.closed) return void (await endTree(tree, running.killGraceMs));
    const foreign: Foreign = new Set();
    const find = () => commandProcesses(tree, running.earlier, foreign);
    await this.#interrupt(running);
    const again = every(INTERRUPT_INTERVAL_MS, () => this.#interrupt(running), { onError: () => {}, ref: true });
    let back = false;
    try {
      // Repeated: a shell that was just starting a process reacts to the interrupt only when that process has ended.
      for (let waited = 0; !back && waited < SHELL_GRACE_MS; waited += INTERRUPT_INTERVAL_MS) {
        await endProcesses(find, running.killGraceMs, tree);
        back = await Promise.race([running.ended.then(() => true), later(INTERRUPT_INTERVAL_MS)]);
      }
    } finally {
      again.stop();
    }
    if (!back) return await this.destroy('stuck');
    if (this.end) return;
    // Processes that it started between the last scan and its end.
    await endProcesses(find, running.killGraceMs, tree);
    const undone = await Promise.race([this.#undoInterrupt().then(() => true), later(SHELL_GRACE_MS)]);
    if (!undone) await this.destroy('stuck');
  }

  #watchLimits(): void {
    this.#exceeded = this.options.confinement?.watch() ?? null;
  }

  #shellPid(): number {
    return this.#shell.at(-1) ?? this.pid;
  }

  /**
   * The interrupt takes effect as soon as the shell waits for no child. If it arrives while the status is being
   * reported, the report itself is dropped; so the shell is asked to report again, and a second report is ignored.
   */
  async #interrupt({ nonce, killGraceMs }: Running): Promise<void> {
    // It became another program meanwhile, which must not get the signal.
    if (this.#status.closed) return void (await endTree(this.tree, killGraceMs));
    try {
      process.kill(this.#shellPid(), this.#dialect.interruptSignal);
      process.kill(this.#shellPid(), 'SIGCONT');
    } catch {
      return; // Gone meanwhile.
    }
    this.#script.write(this.#report(nonce));
  }
}

function makeNonce(): string {
  return randomBytes(16).toString('hex');
}

function later(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}
