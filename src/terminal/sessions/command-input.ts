import fs from 'node:fs';
import { descriptorPath } from '../../files/index.ts';
import { openMemoryFile } from '../libc.ts';

/**
 * The input of commands in a shell session: a file in memory, which the shell opens anew for each command that has an
 * input of its own. It ends where the bytes end, and shows in no folder.
 */
export class CommandInput {
  readonly #fd = openMemoryFile('tacho-command-input');
  #closed = false;

  /** A descriptor to read it by, for the shell. */
  openReader(): number {
    return fs.openSync(descriptorPath(this.#fd), 'r');
  }

  put(bytes: Uint8Array): void {
    this.clear();
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.#fd, bytes, at, bytes.length - at, at);
  }

  /** Readers that a command left behind find the end. */
  clear(): void {
    if (!this.#closed) fs.ftruncateSync(this.#fd, 0);
  }

  close(): void {
    if (!this.#closed) fs.closeSync(this.#fd);
    this.#closed = true;
  }
}
