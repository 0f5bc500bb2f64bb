import type { Client } from '../../src/client/index.ts';
import { type RunView, TachoError } from '../../src/protocol/index.ts';
import { mayMatch, type RunFilter } from '../model/runs/run-filter.ts';
import {
  EMPTY_LIST,
  listOf,
  type RunList,
  refreshed,
  withFreshShown,
  withoutRun,
  withPage,
  withRun,
} from '../model/runs/run-list.ts';
import { Store } from './store.ts';

export interface RunListState {
  /** Null until first loaded. */
  list: RunList | null;
  /** Number of pending approvals of each run, by run id. */
  pending: ReadonlyMap<string, number>;
  isLoadingMore: boolean;
  /** Why the list is out of date; retried automatically if there is a time. */
  trouble: { error: TachoError; retryAt: number | null } | null;
}

const PAGE = 100;
/** The server's maximum per request. */
const MAX_AT_ONCE = 500;
const RETRY_MS = 4000;

/** The server's list of runs, for one filter. */
export class RunListStore extends Store<RunListState> {
  readonly #client: Client;
  readonly #filter: RunFilter;
  readonly #ending = new AbortController();

  constructor(client: Client, filter: RunFilter) {
    super({ list: null, pending: new Map(), isLoadingMore: false, trouble: null });
    this.#client = client;
    this.#filter = filter;
  }

  /** Loads and follows the list until it is closed, reconnecting as needed. */
  async start(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        if (!this.#trouble(error)) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  close(): void {
    this.#ending.abort();
  }

  async loadMore(): Promise<void> {
    const { list, isLoadingMore } = this.get();
    if (list === null || list.cursor === null || isLoadingMore) return;
    this.update({ isLoadingMore: true });
    try {
      const page = await this.#read({ cursor: list.cursor, limit: PAGE });
      this.#change((known) => withPage(known, page));
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#trouble(error);
    } finally {
      this.update({ isLoadingMore: false });
    }
  }

  showFresh(): void {
    this.#change(withFreshShown);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    // Follows before loading, so that nothing in between is lost.
    const changes = this.#client.followRuns({
      signal,
      onOpened: () => void this.#load().catch((error) => !signal.aborted && this.#trouble(error)),
      onRetry: ({ error, delayMs }) => this.update({ trouble: { error, retryAt: Date.now() + delayMs } }),
    });
    for await (const change of changes) {
      if ('removed' in change) this.#change((list) => withoutRun(list, change.removed));
      else await this.#changed(change.run);
    }
  }

  async #load(): Promise<void> {
    const { list } = this.get();
    await this.#loadPending();
    const limit = Math.min(MAX_AT_ONCE, Math.max(PAGE, list?.rows.length ?? 0));
    const page = await this.#read({ limit });
    this.update({ trouble: null, list: list === null ? listOf(page) : refreshed(this.get().list ?? EMPTY_LIST, page) });
  }

  async #changed(run: RunView): Promise<void> {
    const { pending } = this.get();
    if (run.status === 'waiting_approval' || pending.has(run.run_id)) await this.#loadPending();
    const belongs = mayMatch(this.#filter, run, this.get().pending);
    this.#change((list) => withRun(list, run, { belongs }));
  }

  async #loadPending(): Promise<void> {
    const approvals = await this.#client.approvals({ status: 'pending' }, { signal: this.#ending.signal });
    const pending = new Map<string, number>();
    for (const { run_id } of approvals) pending.set(run_id, (pending.get(run_id) ?? 0) + 1);
    this.update({ pending });
  }

  async #read(page: { cursor?: string; limit: number }) {
    const { status, engine, words, hasApproval } = this.#filter;
    const { signal } = this.#ending;
    if (hasApproval) return this.#withApprovals();
    const query = { ...page, status: status ?? undefined, engine: engine ?? undefined, q: words || undefined };
    return this.#client.listRuns(query, { signal });
  }

  /** Few runs have pending approvals, so they are loaded one by one. */
  async #withApprovals() {
    const { status, engine, words } = this.#filter;
    const { pending } = this.get();
    const { signal } = this.#ending;
    const all = await Promise.all([...pending.keys()].map((id) => this.#client.getRun(id, { signal })));
    const said = (run: RunView) => `${run.prompt ?? ''} ${run.command.join(' ')}`.toLowerCase();
    const runs = all
      .filter((run) => (status ?? run.status) === run.status && (engine ?? run.engine) === run.engine)
      .filter((run) =>
        words
          .toLowerCase()
          .split(' ')
          .every((word) => said(run).includes(word)),
      )
      .sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
    return { runs, next_cursor: null, total: runs.length };
  }

  #change(change: (list: RunList) => RunList): void {
    const { list } = this.get();
    if (list !== null) this.update({ list: change(list) });
  }

  /** True if a retry may help. */
  #trouble(error: unknown): boolean {
    if (!(error instanceof TachoError)) throw error;
    const passes = error.code === 'SERVER_UNREACHABLE';
    this.update({ trouble: { error, retryAt: passes ? Date.now() + RETRY_MS : null } });
    return passes;
  }
}
