import type { ExceededLimit } from '../../protocol/terminal/index.ts';

/** A program to run. There is no shell unless `argv` names one. */
export interface Command {
  argv: readonly string[];
  /** An absolute path. */
  cwd: string;
  /** Variables besides PATH, HOME, LANG and TERM, which have defaults. Nothing is inherited from this process. */
  env: Readonly<Record<string, string>>;
  /** Folders outside of the workspace that it may read as well; absolute paths. */
  read?: readonly string[];
  /** The whole of its stdin; empty by default. */
  input?: string;
  timeoutMs: number;
  /** Of stdout and of stderr, each. Of longer output the beginning and the end are kept. */
  maxOutputBytes: number;
}

/** How a command ended, and what it printed until then. */
export interface CommandResult {
  stdout: Buffer;
  stderr: Buffer;
  /**
   * Null if a signal ended it; in a sandbox 128 and the number of the signal, as from a shell. 127 if there is no such
   * program, 126 if it cannot be started.
   */
  exitCode: number | null;
  signal: string | null;
  durationMs: number;
  timedOut: boolean;
  cancelled: boolean;
  /** Whether something is missing in `stdout` or `stderr`; `omitted` says where. */
  truncated: boolean;
  /** All bytes that were printed, kept or not. */
  stdoutBytes: number;
  stderrBytes: number;
  omitted: { stdout: OmittedBytes | null; stderr: OmittedBytes | null };
  /** The limit of the sandbox that ended it or that it ran into. */
  limitExceeded?: ExceededLimit;
}

/** Bytes that were left out between the beginning and the end of an output. */
export interface OmittedBytes {
  /** Offset in the kept output. */
  at: number;
  bytes: number;
}

/** `denied`: the sandbox is impossible, for this reason, and nothing was run. */
export type CommandOutcome = CommandResult | { denied: string };

/** The one way in which tools run programs. When a call returns, none of its processes is left. */
export interface CommandRunner {
  run(command: Command, signal: AbortSignal): Promise<CommandOutcome>;
}
