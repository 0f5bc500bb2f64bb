import { openEmulator } from './open-screen.ts';

interface AnsweringOptions {
  cols: number;
  rows: number;
  onAnswer(answer: string): void;
}

/**
 * Answers what a program asks of its terminal, in place of the terminal that shows it: one that is shown to several people
 * would answer several times, and whoever has left it meanwhile finds the answer at the prompt.
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

  /** Resolves when all is answered. What was drawn or printed before asks no more. */
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
