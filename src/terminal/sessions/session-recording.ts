import type { CommandResult, SessionInfo, SessionKind, StreamName } from '../../protocol/terminal/index.ts';
import type { TerminalEnd } from '../terminal.ts';

/** What a recording knows about its session before the program starts. */
export interface RecordedSession {
  id: string;
  kind: SessionKind;
  name: string | null;
  argv: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  marker: string;
  /** Stdout and stderr are separate. */
  split: boolean;
  cols: number;
  rows: number;
}

/** What a recording may do to the running session. */
export interface SessionControl {
  pid: number;
  /** Between these calls nothing is read from the program: the disk may be slower. */
  pause(): void;
  resume(): void;
  write(bytes: Buffer): void;
  resize(cols: number, rows: number): void;
  /** Ends it: on request, or because it can no longer be recorded. */
  end(why: 'canceled' | 'unrecorded'): void;
}

/** Records one session as a run. Bytes are valid only during the call. */
export interface SessionRecording {
  readonly runId: string;
  /** The program is running. */
  started(control: SessionControl): void;
  output(stream: StreamName, bytes: Buffer): void;
  input(bytes: Buffer): void;
  resized(cols: number, rows: number): void;
  /** For a shell: a command begins, and how it ended. */
  commandBegan(command: { execId: string; text: string }): void;
  commandEnded(result: CommandResult): void;
  /**
   * Nothing more follows. `end` is null if the program never ran, for the reason `error`. Never fails: true if the
   * record is complete and sealed. Repeated calls return the same result.
   */
  finish(end: SessionInfo['end'], terminal: TerminalEnd | null, error?: unknown): Promise<boolean>;
}

export type OpenRecording = (session: RecordedSession) => Promise<SessionRecording>;
