import fs from 'node:fs';
import { descriptorPath } from '../../files/index.ts';
import { openMemoryFile } from '../libc.ts';

/**
 * The input of commands in a shell session: an in-memory file without a name, which the shell opens again for each
 * command with its own input.
 */
export class CommandInput {
  readonly #fd = openMemoryFile('tacho-command-input');
  #closed = false;

  /** A descriptor from which the shell reads it. */
  openReader(): number {
    return fs.openSync(descriptorPath(this.#fd), 'r');
  }

  put(bytes: Uint8Array): void {
    this.clear();
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.#fd, bytes, at, bytes.length - at, at);
  }

  /** Processes that a command left behind then read an end of file. */
  clear(): void {
    if (!this.#closed) fs.ftruncateSync(this.#fd, 0);
  }

  close(): void {
    if (!this.#closed) fs.closeSync(this.#fd);
    this.#closed = true;
  }
}
