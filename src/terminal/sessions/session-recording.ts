import type { CommandResult, SessionInfo, SessionKind, StreamName } from '../../protocol/terminal/index.ts';
import type { TerminalEnd } from '../terminal.ts';

/** What a recording is told of the session it is for, before its program starts. */
export interface RecordedSession {
  id: string;
  kind: SessionKind;
  name: string | null;
  argv: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  marker: string;
  /** Stdout and stderr come apart. */
  split: boolean;
  cols: number;
  rows: number;
}

/** What a recording may do to the session while it lives. */
export interface SessionControl {
  pid: number;
  /** Nothing is read from the program between these: the disk is slower than it. */
  pause(): void;
  resume(): void;
  write(bytes: Buffer): void;
  resize(cols: number, rows: number): void;
  /** Ends it: somebody wants that, or it cannot be recorded any more. */
  end(why: 'canceled' | 'unrecorded'): void;
}

/** Keeps one session as a run. Bytes are lent for the call only. */
export interface SessionRecording {
  readonly runId: string;
  /** The program runs. */
  started(control: SessionControl): void;
  output(stream: StreamName, bytes: Buffer): void;
  input(bytes: Buffer): void;
  resized(cols: number, rows: number): void;
  /** Of a shell: a command begins, and how it ended. */
  commandBegan(command: { execId: string; text: string }): void;
  commandEnded(result: CommandResult): void;
  /**
   * Nothing more will come. `end` is null when the program never ran, for the reason `error`. Never fails: true when the
   * record is whole and sealed. Called again, it gives the same answer.
   */
  finish(end: SessionInfo['end'], terminal: TerminalEnd | null, error?: unknown): Promise<boolean>;
}

export type OpenRecording = (session: RecordedSession) => Promise<SessionRecording>;
