import { openEmulator } from './open-screen.ts';

interface AnsweringOptions {
  cols: number;
  rows: number;
  onAnswer(answer: string): void;
}

/**
 * Answers a program's terminal queries in place of the terminal that displays it: several viewers would each answer,
 * and a viewer that has detached would get the answer at its shell prompt.
 */
export class AnsweringTerminal {
  readonly #emulator;
  #isAsked = false;

  constructor({ cols, rows, onAnswer }: AnsweringOptions) {
    this.#emulator = openEmulator({ cols, rows, bareLineFeeds: false });
    this.#emulator.onData((answer) => {
      if (this.#isAsked) onAnswer(answer);
    });
  }

  /** Resolves when all queries are answered. Queries in redrawn or old output (`isAsked` false) are not answered. */
  async write(bytes: Uint8Array | string, { isAsked }: { isAsked: boolean }): Promise<void> {
    this.#isAsked = isAsked;
    await new Promise<void>((resolve) => this.#emulator.write(bytes, resolve));
  }

  resize(cols: number, rows: number): void {
    this.#emulator.resize(cols, rows);
  }

  dispose(): void {
    this.#emulator.dispose();
  }
}
