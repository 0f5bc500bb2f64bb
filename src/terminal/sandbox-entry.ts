import fs from 'node:fs';
import { countUnread, openMemoryFile, openPipe } from './libc.ts';

/**
 * How a program is started in a sandbox: by another program, which runs outside. It gets none of the program's
 * variables, because LD_PRELOAD and the like would take effect outside; `reads` has them.
 */
export interface SandboxEntry {
  /** To put before the program's command line. */
  argv: readonly string[];
  /** What it reads from its descriptors, each to its end; the first one is the second of them. */
  reads: readonly string[];
}

/** The descriptors of an entry: on the first one it reports, from the others it reads. */
export class EntryDescriptors {
  /** For the entry, which closes them before the program starts. Ours have to be closed after the start. */
  readonly passed: readonly number[];
  readonly #status: number;
  #closed = false;

  constructor({ reads }: SandboxEntry) {
    const { read, write } = openPipe();
    const passed = [write];
    try {
      for (const text of reads) passed.push(holdInMemory(text));
    } catch (error) {
      for (const fd of [read, ...passed]) fs.closeSync(fd);
      throw error;
    }
    this.#status = read;
    this.passed = passed;
  }

  /**
   * Of an entry that has exited: whether it failed before the program began. Its own exit code could as well be the
   * program's, so it reports the latter.
   */
  hasFailed(): boolean {
    if (this.#closed) return false;
    const bytes = Buffer.alloc(countUnread(this.#status));
    const count = bytes.length === 0 ? 0 : fs.readSync(this.#status, bytes, 0, bytes.length, null);
    return !/"exit-code": *\d+/.test(bytes.toString('latin1', 0, count));
  }

  close(): void {
    if (!this.#closed) fs.closeSync(this.#status);
    this.#closed = true;
  }
}

function holdInMemory(text: string): number {
  const file = openMemoryFile('tacho-sandbox');
  // At a position, so that it is read from the beginning.
  fs.writeSync(file, text, 0);
  return file;
}
