import { once } from 'node:events';
import { QueryFilter } from '../../terminal/index.ts';
import { TerminalModes } from '../terminal/terminal-modes.ts';

/**
 * Shows what a program printed once. A terminal gets it without what would make it answer, and is given back as it was
 * on every way out. A file or pipe gets the exact bytes.
 */
export class RecordedOutput {
  readonly #shown = process.stdout.isTTY ? { filter: new QueryFilter(), modes: new TerminalModes() } : null;
  readonly #onExit = () => this.end();

  constructor() {
    if (this.#shown) process.once('exit', this.#onExit);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const passed = this.#shown ? this.#shown.filter.write(bytes) : bytes;
    this.#shown?.modes.pass(Buffer.from(passed));
    if (!process.stdout.write(passed)) await once(process.stdout, 'drain');
  }

  /** To a terminal Node writes at once, so that this also works while the process exits. */
  end(): void {
    if (!this.#shown) return;
    process.off('exit', this.#onExit);
    const { filter, modes } = this.#shown;
    process.stdout.write(Buffer.concat([filter.end(), Buffer.from(modes.reset())]));
  }
}
