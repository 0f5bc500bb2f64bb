import type { Client } from '../../src/client/index.ts';
import type { Approval, RunView } from '../../src/protocol/index.ts';
import { Store } from './store.ts';

export interface Queue {
  /** Null until loaded. Oldest first. */
  pending: readonly Approval[] | null;
  /** The runs with pending approvals. */
  runs: ReadonlyMap<string, RunView>;
  live: number;
  error: Error | null;
}

/** Changes in quick succession cause one request. */
const DEBOUNCE_MS = 150;

/** All pending approvals of all runs, kept up to date. */
export class ApprovalQueue extends Store<Queue> {
  readonly #client: Client;
  readonly #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(client: Client) {
    super({ pending: null, runs: new Map(), live: 0, error: null });
    this.#client = client;
  }

  async start(): Promise<void> {
    const { signal } = this.#ending;
    try {
      const changes = this.#client.followRuns({
        signal,
        onOpened: () => this.refresh(),
        onRetry: ({ error }) => this.update({ error }),
      });
      for await (const _ of changes) this.refresh();
    } catch (error) {
      if (!signal.aborted) this.update({ error: error as Error });
    }
  }

  refresh = (): void => {
    this.#timer ??= setTimeout(() => void this.#read(), DEBOUNCE_MS);
  };

  close(): void {
    this.#ending.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    this.#timer = null;
    const { signal } = this.#ending;
    try {
      const [pending, running] = await Promise.all([
        this.#client.approvals({ status: 'pending' }, { signal }),
        this.#client.listRuns({ status: 'running', limit: 1 }, { signal }),
      ]);
      const runs = new Map(this.get().runs);
      for (const id of new Set(pending.map(({ run_id }) => run_id))) {
        if (!runs.has(id)) runs.set(id, await this.#client.getRun(id, { signal }));
      }
      this.set({ pending, runs, live: running.total, error: null });
    } catch (error) {
      if (!signal.aborted) this.update({ error: error as Error });
    }
  }
}
