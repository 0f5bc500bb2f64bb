import type { CommandResult, SessionInfo, SessionKind, StreamName } from '../protocol/terminal-rpc.ts';

/** What a recording is told of the session it is for, before its program starts. */
export interface RecordedSession {
  id: string;
  kind: SessionKind;
  name: string | null;
  argv: readonly string[];
  cwd: string;
  /** The folder whose changes belong to the session. */
  workspace: string;
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
  commandEnded(result: Pick<CommandResult, 'exec_id' | 'exit_code' | 'timed_out' | 'canceled' | 'duration_ms'>): void;
  /** Nothing more will come. Resolves when the record is whole and sealed; null: the program never ran. */
  finish(end: SessionInfo['end']): Promise<void>;
}

export type OpenRecording = (session: RecordedSession) => Promise<SessionRecording>;
