import { CommandCapture } from '../../terminal/sessions/command-capture.ts';
import { OutputBuffer } from '../../terminal/sessions/output-buffer.ts';
import type { CommandResult } from './command-runner.ts';

type Stream = 'stdout' | 'stderr';
type Ended = Pick<CommandResult, 'exitCode' | 'signal'>;

/** The output of a command: the beginning and the end of each stream, however much there was in between. */
export class OutputPair {
  readonly #streams: Record<Stream, { buffer: OutputBuffer; capture: CommandCapture }>;

  constructor(maxBytes: number) {
    const open = () => {
      const buffer = new OutputBuffer(Math.max(1, maxBytes));
      return { buffer, capture: new CommandCapture(buffer, Math.max(1, maxBytes)) };
    };
    this.#streams = { stdout: open(), stderr: open() };
  }

  append(stream: Stream, bytes: Buffer): void {
    this.#streams[stream].buffer.append(bytes);
    this.#streams[stream].capture.append(bytes);
  }

  stderrText(): string {
    return this.#streams.stderr.capture.collect().bytes.toString();
  }

  result({ exitCode, signal }: Ended, begun: number, abort: 'timeout' | 'cancel' | null): CommandResult {
    const stdout = this.#streams.stdout.capture.collect();
    const stderr = this.#streams.stderr.capture.collect();
    return {
      stdout: stdout.bytes,
      stderr: stderr.bytes,
      exitCode,
      signal,
      durationMs: performance.now() - begun,
      timedOut: abort === 'timeout',
      cancelled: abort === 'cancel',
      truncated: stdout.omitted !== null || stderr.omitted !== null,
      stdoutBytes: stdout.to,
      stderrBytes: stderr.to,
      omitted: { stdout: stdout.omitted, stderr: stderr.omitted },
    };
  }

  /** For a program that was not started, as a shell reports it: a sentence on stderr and its exit code. */
  failedStart(message: string, exitCode: number, begun: number): CommandResult {
    const stderr = Buffer.from(`tacho: ${message}\n`);
    const result = this.result({ exitCode, signal: null }, begun, null);
    return { ...result, stderr, stderrBytes: stderr.length, omitted: { stdout: null, stderr: null }, truncated: false };
  }
}
