import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { openRegularFile } from '../../files/index.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import { claimFailure, writeFailure } from '../../journal/file/file-errors.ts';
import type { Intents } from '../loop/effects.ts';

const syncData = promisify(fs.fdatasync);

/**
 * The calls whose effects may have begun, one line each, on the disk before the effect. A call that is started in the log
 * and not listed here has certainly done nothing.
 */
export class IntentFile implements Intents {
  readonly #marked: Set<string>;
  readonly #fd: number;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    const isNew = !fs.existsSync(file);
    try {
      this.#fd = openRegularFile(file, 'append');
    } catch (error) {
      throw claimFailure(error, file);
    }
    if (isNew) syncFolder(path.dirname(file));
    const text = fs.readFileSync(this.#fd, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    // A line that was cut off was not on the disk when the process died, so its effect has not begun.
    if (whole.length < text.length) fs.ftruncateSync(this.#fd, Buffer.byteLength(whole));
    this.#marked = new Set(whole.split('\n').slice(0, -1));
  }

  async mark(callId: string): Promise<void> {
    const line = JSON.stringify(callId);
    this.#marked.add(line);
    try {
      fs.writeSync(this.#fd, `${line}\n`);
      await syncData(this.#fd);
    } catch (error) {
      throw writeFailure(error, this.#file);
    }
  }

  isMarked(callId: string): boolean {
    return this.#marked.has(JSON.stringify(callId));
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
