import type { Size } from '../../model/terminal/frames.ts';
import { XtermScreen } from './xterm-screen.ts';

/** Bytes that may wait to be drawn before the sender has to wait too. */
const MOST_WAITING_BYTES = 1024 * 1024;

export interface Beginning extends Size {
  /** Draws the screen from which output continues. */
  snapshot: string;
  /** Lines end with a line feed alone. */
  bareLineFeeds: boolean;
}

/** A terminal that shows what a session prints as it comes. Whoever calls waits for each call before the next. */
export class LiveScreen extends XtermScreen {
  #waiting = 0;

  async begin({ cols, rows, snapshot, bareLineFeeds }: Beginning): Promise<void> {
    // In its place among what was printed before, and before the size changes: nothing old may flow anew.
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
    if (this.#waiting > MOST_WAITING_BYTES) await written;
  }

  async resize({ cols, rows }: Size): Promise<void> {
    if (cols === this.terminal.cols && rows === this.terminal.rows) return;
    // What was printed for the old size is drawn in it.
    await this.#written('');
    this.terminal.resize(cols, rows);
  }

  #written(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(data, resolve));
  }
}
