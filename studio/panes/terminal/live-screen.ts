import type { Size } from '../../model/terminal/frames.ts';
import { XtermScreen } from './xterm-screen.ts';

/** Bytes that may wait to be drawn before the sender has to wait too. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface Beginning extends Size {
  /** Draws the screen from which output continues. */
  snapshot: string;
  /** Lines end with a bare line feed. */
  bareLineFeeds: boolean;
}

/** A terminal that shows the output of a session as it comes. Calls must be awaited one by one. */
export class LiveScreen extends XtermScreen {
  #waiting = 0;

  async begin({ cols, rows, snapshot, bareLineFeeds }: Beginning): Promise<void> {
    // In order with earlier output, and before the size changes: old content must not be reflowed.
    await this.#written('\x1bc');
    this.terminal.options.convertEol = bareLineFeeds;
    this.terminal.resize(cols, rows);
    await this.#written(snapshot);
  }

  async output(bytes: Uint8Array): Promise<void> {
    this.#waiting += bytes.length;
    const written = this.#written(bytes).then(() => {
      this.#waiting -= bytes.length;
    });
    if (this.#waiting > MAX_WAITING_BYTES) await written;
  }

  async resize({ cols, rows }: Size): Promise<void> {
    if (cols === this.terminal.cols && rows === this.terminal.rows) return;
    // Output for the old size is drawn before the size changes.
    await this.#written('');
    this.terminal.resize(cols, rows);
  }

  #written(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(data, resolve));
  }
}
