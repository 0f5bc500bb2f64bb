import type { Encoding, StreamName } from '../../protocol/terminal/index.ts';
import type { PipedProgram } from '../piped-program.ts';
import { endTree } from '../processes/process-tree.ts';
import { CommandCapture } from './command-capture.ts';
import { Session, type SessionOptions, STREAMS } from './session.ts';

/** The input of a command: its session's, none, or exactly these bytes. */
export type CommandInputChoice = 'session' | 'empty' | Uint8Array;

/** How to run a command of any kind. */
export interface CommandRequest {
  execId: string;
  input: CommandInputChoice;
  timeoutMs: number | null;
  killGraceMs: number;
  maxOutputBytes: number;
  encoding?: Encoding | undefined;
}

export type Captures = Record<StreamName, CommandCapture>;

/** A session whose program writes to two pipes. */
export abstract class PipedSession extends Session {
  protected program!: PipedProgram;

  protected constructor(options: SessionOptions) {
    super(options, STREAMS);
  }

  get pid(): number {
    return this.program.pid;
  }

  override holdOutput(stream: StreamName): void {
    this.program.pause(stream);
  }

  override releaseOutput(stream: StreamName): void {
    this.program.resume(stream);
  }

  protected pauseOutput(): void {
    for (const stream of STREAMS) this.program.pause(stream);
  }

  protected resumeOutput(): void {
    for (const stream of STREAMS) this.program.resume(stream);
  }

  protected async stop(): Promise<void> {
    await endTree(this.tree, this.options.kill_grace_ms);
  }

  /** Captures the streams from now on. */
  protected capture({ maxOutputBytes }: CommandRequest): Captures {
    const capture = (stream: StreamName) => new CommandCapture(this.streams[stream]!, maxOutputBytes);
    return { stdout: capture('stdout'), stderr: capture('stderr') };
  }
}
