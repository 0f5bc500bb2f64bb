import fs from 'node:fs';
import { type CaptureMode, type EndedByUs, TachoError, type TraceSummary } from '../../../protocol/index.ts';
import type { AttemptFile, RunFolder } from '../../../recording/index.ts';
import { endPiped, Terminal, type TerminalOptions, writePiped } from '../../../terminal/index.ts';
import { AttemptTrace } from './attempt-trace.ts';
import type { Program, ProgramEnd, ProgramHost } from './program.ts';

export interface TerminalProgramOptions
  extends Pick<
    TerminalOptions,
    'argv' | 'cwd' | 'env' | 'cols' | 'rows' | 'echo' | 'marker' | 'lingerMs' | 'killGraceMs'
  > {
  /** Where to store a trace. */
  folder: RunFolder;
  attempt: number;
  /** A private folder for the temporary files of a trace. */
  temporary: string;
  capture: CaptureMode;
  keepTrace: boolean;
  exclusive: boolean;
  hideSecrets(text: string): string;
  onStarted(control: TerminalControl): void;
}

/** Actions on a live attempt. */
export interface TerminalControl {
  pid: number;
  terminal: Pick<Terminal, 'expectsNewlineTranslation'>;
  /** Types bytes into the program's terminal, and records them. */
  write(bytes: Buffer): Promise<void>;
  /** Sends bytes of a file or pipe, so that the program reads exactly these bytes and their end. */
  feed(bytes: Buffer): Promise<void>;
  endFeed(): Promise<void>;
  resize(cols: number, rows: number): void;
  /** Ends the attempt: SIGTERM, grace period, SIGKILL; a second call skips the grace period. */
  cancel(): void;
}

/** A command on its own terminals, traced if requested. */
export class TerminalProgram implements Program {
  readonly #options: TerminalProgramOptions;
  #trace: AttemptTrace | null = null;
  #terminal: Terminal | null = null;
  #ended = false;
  /** The end was requested before the start. */
  #endEarly = false;

  constructor(options: TerminalProgramOptions) {
    this.#options = options;
  }

  async start(host: ProgramHost): Promise<void> {
    const { folder, attempt, capture, keepTrace, temporary, hideSecrets, onStarted, ...options } = this.#options;
    if (capture === 'trace') {
      fs.mkdirSync(temporary, { recursive: true, mode: 0o700 });
      this.#trace = await AttemptTrace.open({ folder, attempt, temporary, keep: keepTrace, hideSecrets });
    }
    const trace = this.#trace;
    const terminal = Terminal.start({
      ...options,
      argv: trace ? trace.argv(options.argv) : options.argv,
      mode: capture === 'merged' ? 'merged' : 'split',
      onOutput: (side, bytes) => host.output(side, bytes),
      ...(trace ? { spare: () => trace.tracerPid() } : {}),
    });
    this.#terminal = terminal;
    trace?.attach(terminal);
    // Some start failures are reported as an event.
    if (terminal.pid < 0) await terminal.exited;
    host.started(terminal.pid);
    if (this.#endEarly) this.#kill(options.killGraceMs);
    onStarted(controlOf(terminal, host));
  }

  /** Resolves when all processes of the command have ended and every byte was delivered. Never rejects. */
  async ended(): Promise<ProgramEnd> {
    const { cols, rows } = this.#options;
    const neverRan = { exit_code: null, signal: null };
    if (!this.#terminal) return neverRan;
    try {
      const { exitCode, signal, ...end } = await this.#terminal.ended;
      this.#ended = true;
      return { exit_code: exitCode, signal, terminal: { cols, rows, ...end } };
    } catch (cause) {
      const error = cause instanceof TachoError ? cause : lostTerminal(cause);
      return { ...neverRan, error };
    }
  }

  pause(): void {
    this.#terminal?.pause();
  }

  resume(): void {
    this.#terminal?.resume();
  }

  end(_reason: EndedByUs, { again }: { again: boolean }): void {
    this.#endEarly = true;
    this.#kill(again ? 0 : this.#options.killGraceMs);
  }

  recorded(): void {
    this.#trace?.recorded();
  }

  async summarize(recordedBytes: number): Promise<TraceSummary | null> {
    return (await this.#trace?.finish(recordedBytes)) ?? null;
  }

  get files(): readonly AttemptFile[] {
    return this.#trace?.files ?? [];
  }

  /** After any failure, no program keeps running unrecorded. */
  async close(): Promise<void> {
    try {
      if (this.#terminal && this.#terminal.pid > 0 && !this.#ended) {
        await this.#terminal.kill(0);
        await this.#terminal.ended.catch(() => null);
      }
    } finally {
      this.#trace?.close();
    }
  }

  #kill(graceMs: number): void {
    // If it fails now, closing the program ends it.
    this.#terminal?.kill(graceMs).catch(() => {});
  }
}

function controlOf(terminal: Terminal, host: ProgramHost): TerminalControl {
  return {
    pid: terminal.pid,
    terminal,
    write: (bytes) => {
      host.input(bytes);
      return terminal.write(bytes);
    },
    feed: (bytes) => {
      host.input(bytes);
      return writePiped(terminal, bytes);
    },
    endFeed: () => endPiped(terminal),
    resize: (cols, rows) => {
      terminal.resize(cols, rows);
      host.resize(cols, rows);
    },
    cancel: () => host.end('canceled'),
  };
}

function lostTerminal(cause: unknown): TachoError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TachoError('TERMINAL_FAILED', `the terminal could not be followed to its end: ${message}`, { cause });
}
