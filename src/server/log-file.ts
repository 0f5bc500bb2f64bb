import fs from 'node:fs';
import path from 'node:path';

const LARGEST_BYTES = 16 * 1024 * 1024;

/**
 * Appends lines to a file of the user's own. What goes wrong here hurts nobody: on a full disk lines are left out, and
 * their number is written down when there is room again. A file that has grown large becomes `<name>.1`.
 */
export class LogFile {
  readonly #file: string;
  #descriptor: number;
  #bytes: number;
  #leftOut = 0;

  constructor(file: string) {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.#file = file;
    this.#descriptor = fs.openSync(file, 'a', 0o600);
    this.#bytes = fs.fstatSync(this.#descriptor).size;
  }

  write(line: string): void {
    try {
      if (this.#bytes > LARGEST_BYTES) this.#turnOver();
      if (this.#leftOut > 0)
        this.#append(`{"level":40,"time":${Date.now()},"left_out":${this.#leftOut},"msg":"lines are missing here"}\n`);
      this.#leftOut = 0;
      this.#append(line);
    } catch {
      // Serving goes on without its log; the number says so later.
      this.#leftOut++;
    }
  }

  /** What a full disk has cut off would spoil the next line. */
  #append(line: string): void {
    const bytes = Buffer.from(line);
    const written = fs.writeSync(this.#descriptor, bytes);
    this.#bytes += written;
    if (written === bytes.length) return;
    fs.ftruncateSync(this.#descriptor, this.#bytes - written);
    this.#bytes -= written;
    throw new Error('the line did not fit');
  }

  #turnOver(): void {
    fs.renameSync(this.#file, `${this.#file}.1`);
    const old = this.#descriptor;
    this.#descriptor = fs.openSync(this.#file, 'a', 0o600);
    fs.closeSync(old);
    this.#bytes = 0;
  }
}
