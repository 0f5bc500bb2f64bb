import type { TerminalView } from '../../protocol/index.ts';

const EVERY_MS = 1000;

type Listener = (view: TerminalView) => void;

/**
 * How a session is, asked once a second for all who follow it. Output is told by reads, which wait for it; that another
 * one attached, or that a command ended without a word, nothing tells.
 */
export class SessionWatch {
  readonly #look: () => Promise<TerminalView>;
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #last: TerminalView | null = null;
  #looking = false;

  constructor(look: () => Promise<TerminalView>) {
    this.#look = look;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  join(view: TerminalView, listener: Listener): void {
    this.#last = view;
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#lookAgain(), EVERY_MS);
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (!this.isEmpty) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  tell(change: Partial<TerminalView>): void {
    if (this.#last === null) return;
    this.#last = { ...this.#last, ...change };
    for (const listener of this.#listeners) listener(this.#last);
  }

  async #lookAgain(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      this.tell(await this.#look());
    } catch {
      // That the session or its daemon is gone is told by the read that is under way.
    } finally {
      this.#looking = false;
    }
  }
}
