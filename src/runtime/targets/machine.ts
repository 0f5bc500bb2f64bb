import type { Readable, Writable } from 'node:stream';

/** Another machine or container on which programs can be started. */
export interface Machine {
  start(argv: readonly string[]): Promise<RemoteProcess>;
  /** Closes the connection; the streams of started programs may end. */
  close(): void;
}

export interface RemoteProcess {
  stdin: Writable;
  stdout: Readable;
  /** Resolves when the output has ended; the exit code is null if unknown. */
  ended: Promise<{ exitCode: number | null; stderr: string }>;
}

const STDERR_TAIL = 4000;

/** Reads to the end, so that the writer never blocks, and keeps the last bytes. */
export async function readTail(stream: Readable): Promise<string> {
  let words = '';
  try {
    for await (const bytes of stream) words = (words + String(bytes)).slice(-STDERR_TAIL);
  } catch {
    // The connection was cut, which the other streams report.
  }
  return words.trim();
}
