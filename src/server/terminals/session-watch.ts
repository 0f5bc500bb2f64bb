import { every, type Repeated } from '../../files/index.ts';
import type { TerminalView } from '../../protocol/index.ts';

const POLL_INTERVAL_MS = 1000;

type Listener = (view: TerminalView) => void;

/**
 * Polls the state of a session once a second for all followers. Pending reads report output; attaching clients and
 * commands that end silently are only visible by polling.
 */
export class SessionWatch {
  readonly #readView: () => Promise<TerminalView>;
  readonly #listeners = new Set<Listener>();
  #timer: Repeated | undefined;
  #last: TerminalView | null = null;

  constructor(readView: () => Promise<TerminalView>) {
    this.#readView = readView;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  join(view: TerminalView, listener: Listener): void {
    this.#last = view;
    this.#listeners.add(listener);
    // Pending reads report that the session or its daemon is gone.
    this.#timer ??= every(POLL_INTERVAL_MS, async () => this.publish(await this.#readView()), {
      onError: () => {},
      ref: true,
    });
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (!this.isEmpty) return;
    this.#timer?.stop();
    this.#timer = undefined;
  }

  publish(change: Partial<TerminalView>): void {
    if (this.#last === null) return;
    this.#last = { ...this.#last, ...change };
    for (const listener of this.#listeners) listener(this.#last);
  }
}
