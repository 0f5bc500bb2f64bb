import { every, type Repeated } from '../../files/index.ts';
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
  #timer: Repeated | undefined;
  #last: TerminalView | null = null;

  constructor(look: () => Promise<TerminalView>) {
    this.#look = look;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  join(view: TerminalView, listener: Listener): void {
    this.#last = view;
    this.#listeners.add(listener);
    // That the session or its daemon is gone is told by the read that is under way.
    this.#timer ??= every(EVERY_MS, async () => this.tell(await this.#look()), { onError: () => {}, ref: true });
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (!this.isEmpty) return;
    this.#timer?.stop();
    this.#timer = undefined;
  }

  tell(change: Partial<TerminalView>): void {
    if (this.#last === null) return;
    this.#last = { ...this.#last, ...change };
    for (const listener of this.#listeners) listener(this.#last);
  }
}
