import type { Readable, Writable } from 'node:stream';

/** Somewhere else, where programs can be started. */
export interface Machine {
  start(argv: readonly string[]): Promise<RemoteProcess>;
  /** Lets go of the connection; what it started may see its streams end. */
  close(): void;
}

export interface RemoteProcess {
  stdin: Writable;
  stdout: Readable;
  /** Resolves when its output has ended; the code is null where nobody knows it. */
  ended: Promise<{ exitCode: number | null; stderr: string }>;
}

const STDERR_TAIL = 4000;

/** Reads to the end, so that nothing waits for us, and keeps the last words. */
export async function lastWords(stream: Readable): Promise<string> {
  let words = '';
  try {
    for await (const bytes of stream) words = (words + String(bytes)).slice(-STDERR_TAIL);
  } catch {
    // The connection was cut, which the other streams tell.
  }
  return words.trim();
}
