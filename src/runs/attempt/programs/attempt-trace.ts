import fs from 'node:fs';
import path from 'node:path';
import { openRegularFile, readAt } from '../../../files/index.ts';
import { attemptFileNames, type TraceSummary } from '../../../protocol/index.ts';
import { AttemptFile, type RunFolder, TraceSession } from '../../../recording/index.ts';
import type { Terminal } from '../../../terminal/index.ts';

const BUFFERED_CHARACTERS = 64 * 1024;
/** The tracer ends with the last traced process, and all of them have ended by then. */
const TRACER_DEADLINE_MS = 5000;

export interface AttemptTraceOptions {
  folder: RunFolder;
  attempt: number;
  /** Folder for the pipe that carries the trace. */
  temporary: string;
  keep: boolean;
  /** Command lines are recorded, and some contain a secret. */
  hideSecrets(text: string): string;
}

/** The system-call trace of one attempt: writes the source of every byte to `writes.N.jsonl` while the program runs. */
export class AttemptTrace {
  readonly #session: TraceSession;
  readonly #file: AttemptFile;
  readonly #streams: Record<'stdout' | 'stderr', number>;
  #text = '';

  static async open(options: AttemptTraceOptions): Promise<AttemptTrace> {
    const names = attemptFileNames(options.attempt);
    const at = (name: string) => path.join(options.folder.audit, name);
    const opened: number[] = [];
    let file: AttemptFile | null = null;
    const open = (fd: number): number => {
      opened.push(fd);
      return fd;
    };
    try {
      const streams = {
        stdout: open(openRegularFile(at(names.stdout))),
        stderr: open(openRegularFile(at(names.stderr))),
      };
      file = new AttemptFile(at(names.writes));
      const session = await TraceSession.open({
        folder: options.temporary,
        ...(options.keep ? { keepPath: at(names.trace) } : {}),
        peek: (stream, offset, length) => peek(streams[stream], offset, length),
        onWrite: (write) => {
          const command = options.hideSecrets(write.command);
          trace.#add(`${JSON.stringify({ ...write, command })}\n`);
        },
      });
      const trace: AttemptTrace = new AttemptTrace(session, file, streams);
      return trace;
    } catch (error) {
      file?.close();
      for (const fd of opened) fs.closeSync(fd);
      throw error;
    }
  }

  private constructor(session: TraceSession, file: AttemptFile, streams: Record<'stdout' | 'stderr', number>) {
    this.#session = session;
    this.#file = file;
    this.#streams = streams;
  }

  argv(command: readonly string[]): string[] {
    return this.#session.argv(command);
  }

  /** Call it in the same tick in which the terminal was started. */
  attach(terminal: Terminal): void {
    this.#session.attach({ pid: terminal.pid, stdout: terminal.devices.a, stderr: terminal.devices.b });
  }

  tracerPid(): number | null {
    return this.#session.tracerPid();
  }

  /** More bytes were recorded, which may determine the order of writes. */
  recorded(): void {
    this.#session.attribution.settle();
  }

  async finish(recordedBytes: number): Promise<TraceSummary> {
    await this.#session.finished({ deadlineMs: TRACER_DEADLINE_MS });
    this.#flush();
    return this.#session.attribution.summary(recordedBytes);
  }

  get files(): AttemptFile[] {
    return this.#session.kept ? [this.#file, this.#session.kept] : [this.#file];
  }

  close(): void {
    this.#session.abandon();
    for (const file of this.files) file.close();
    for (const fd of Object.values(this.#streams)) fs.closeSync(fd);
  }

  #add(line: string): void {
    this.#text += line;
    if (this.#text.length >= BUFFERED_CHARACTERS) this.#flush();
  }

  #flush(): void {
    this.#file.append([Buffer.from(this.#text)]);
    this.#text = '';
  }
}

/** Recorded bytes from `offset`; null if not recorded that far yet. */
function peek(fd: number, offset: number, length: number): Uint8Array | null {
  const bytes = readAt(fd, offset, length);
  return bytes.length === 0 ? null : bytes;
}
