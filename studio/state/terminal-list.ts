import type { Client } from '../../src/client/index.ts';
import { TachoError, type TerminalsAnswer, type TerminalView } from '../../src/protocol/index.ts';
import { sortTerminals } from '../model/terminals/terminal-facts.ts';
import { Store } from './store.ts';

export interface TerminalListState {
  /** Null until first loaded. */
  terminals: readonly TerminalView[] | null;
  unreachable: TerminalsAnswer['unreachable'];
  /** Why the list is out of date. */
  trouble: { error: TachoError; retryAt: number | null } | null;
}

const POLL_MS = 2000;

/** The sessions of all workspaces, polled while the page is visible. */
export class TerminalListStore extends Store<TerminalListState> {
  readonly #client: Client;
  readonly #ending = new AbortController();

  constructor(client: Client) {
    super({ terminals: null, unreachable: [], trouble: null });
    this.#client = client;
  }

  async start(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      if (document.visibilityState === 'visible') await this.#read(signal);
      await nextPoll(signal);
    }
  }

  close(): void {
    this.#ending.abort();
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const { terminals, unreachable } = await this.#client.terminals.list({ signal });
      this.set({ terminals: sortTerminals(terminals), unreachable, trouble: null });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TachoError)) throw error;
      const passes = error.code === 'SERVER_UNREACHABLE';
      this.update({ trouble: { error, retryAt: passes ? Date.now() + POLL_MS : null } });
    }
  }
}

/** After an interval, or as soon as the page is visible again. */
function nextPoll(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, POLL_MS);
    function done() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    }
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done);
  });
}
