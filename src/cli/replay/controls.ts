import type { Command, Controls } from './player.ts';

/** A queue of commands from the keyboard and from signals. */
export class LiveControls implements Controls {
  readonly #commands: Command[] = [];
  #wake = (): void => {};

  push(command: Command): void {
    // Quit takes precedence over pending commands.
    if (command.do === 'quit') this.#commands.length = 0;
    this.#commands.push(command);
    this.#wake();
  }

  now(): number {
    return performance.now();
  }

  take(): Command | null {
    return this.#commands.shift() ?? null;
  }

  async wait(ms: number): Promise<void> {
    if (this.#commands.length > 0) return;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
