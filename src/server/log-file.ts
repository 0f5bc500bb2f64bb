import fs from 'node:fs';
import path from 'node:path';

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Appends lines to a log file of the user. Errors have no effect on the server: on a full disk lines are dropped, and
 * their number is logged when there is space again. A file that has grown too large is renamed to `<name>.1`.
 */
export class LogFile {
  readonly #file: string;
  #descriptor: number;
  #bytes: number;
  #dropped = 0;

  constructor(file: string) {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.#file = file;
    this.#descriptor = fs.openSync(file, 'a', 0o600);
    this.#bytes = fs.fstatSync(this.#descriptor).size;
  }

  write(line: string): void {
    try {
      if (this.#bytes > MAX_BYTES) this.#rotate();
      if (this.#dropped > 0)
        this.#append(`{"level":40,"time":${Date.now()},"left_out":${this.#dropped},"msg":"lines are missing here"}\n`);
      this.#dropped = 0;
      this.#append(line);
    } catch {
      // The server keeps running without its log; the number of dropped lines is logged later.
      this.#dropped++;
    }
  }

  /** Removes a line that a full disk has cut off, since it would corrupt the next one. */
  #append(line: string): void {
    const bytes = Buffer.from(line);
    const written = fs.writeSync(this.#descriptor, bytes);
    this.#bytes += written;
    if (written === bytes.length) return;
    fs.ftruncateSync(this.#descriptor, this.#bytes - written);
    this.#bytes -= written;
    throw new Error('the line did not fit');
  }

  #rotate(): void {
    fs.renameSync(this.#file, `${this.#file}.1`);
    const old = this.#descriptor;
    this.#descriptor = fs.openSync(this.#file, 'a', 0o600);
    fs.closeSync(old);
    this.#bytes = 0;
  }
}
