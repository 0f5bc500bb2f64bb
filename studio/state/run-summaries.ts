import type { Client } from '../../src/client/index.ts';
import { isEvent, type RunView } from '../../src/protocol/index.ts';
import { type DiscShape, discShapes, foldEvents, isTerminal, isWaiting } from '../../src/record/index.ts';
import { firstRequest } from '../model/run-title.ts';
import { Store } from './store.ts';

/** Facts for the list that are only in the events of a run. */
export interface RunSummary {
  /** The first request of the run; the run itself only has the last message. */
  request: string | null;
  /** Null if there are too many events to count them for a list. */
  diagnostics: number | null;
  disc: readonly DiscShape[];
}

export const DISC_SIZE = 20;
/** Runs with more events are summarised only on their own page. */
const MAX_EVENTS = 1000;
const AT_ONCE = 3;
/** Rows that were only scrolled past are dropped. */
const MAX_WAITING = 60;

/** Summaries of the visible runs, loaded one after the other with low priority. */
export class RunSummaries extends Store<ReadonlyMap<string, RunSummary>> {
  readonly #client: Client;
  /** The last event of each run when it was loaded. */
  readonly #read = new Map<string, number>();
  #waiting: RunView[] = [];
  #busy = 0;

  constructor(client: Client) {
    super(new Map());
    this.#client = client;
  }

  /** Loads an inactive run, unless it is up to date. */
  want(run: RunView): void {
    const rests = isTerminal(run.status) || isWaiting(run.status);
    if (!rests || this.#read.get(run.run_id) === run.head_seq) return;
    // The latest requests are for the rows visible now.
    this.#waiting = [run, ...this.#waiting.filter(({ run_id }) => run_id !== run.run_id)].slice(0, MAX_WAITING);
    this.#next();
  }

  #next(): void {
    const run = this.#busy < AT_ONCE ? this.#waiting.shift() : undefined;
    if (run === undefined) return;
    this.#busy++;
    this.#read.set(run.run_id, run.head_seq);
    summarize(this.#client, run)
      .then((summary) => this.set(new Map(this.get()).set(run.run_id, summary)))
      .catch(() => {
        // The row is then shown without it; a lost server is reported elsewhere.
        this.#read.delete(run.run_id);
      })
      .finally(() => {
        this.#busy--;
        this.#next();
      });
  }
}

async function summarize(client: Client, { run_id, head_seq }: RunView): Promise<RunSummary> {
  if (head_seq > MAX_EVENTS) {
    const { events } = await client.conversation(run_id, { type: 'user.message', limit: 1 });
    return { request: firstRequest(events), diagnostics: null, disc: [] };
  }
  const { events } = await client.events(run_id, { limit: MAX_EVENTS });
  const model = foldEvents(events);
  const asked = events.find((event) => isEvent(event, 'interaction.reply.accepted'));
  return {
    request: asked && isEvent(asked, 'interaction.reply.accepted') ? asked.data.text : null,
    diagnostics: model.diagnostics.length,
    disc: discShapes(model, DISC_SIZE),
  };
}
