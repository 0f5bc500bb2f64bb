import type { AgentEvent } from '../../protocol/index.ts';
import type { LiveRun, SendOptions } from './live-run.ts';
import type { RunResult } from './run-result.ts';

interface AgentRunParts<Output> {
  id: string;
  locator: string;
  live: Promise<LiveRun<Output>>;
  /** Aborts what has to happen before the run begins. */
  opening: AbortController;
}

/** A run of an agent: read its events, send it messages, cancel it, wait for its result. */
export class AgentRun<Output = string> implements AsyncIterable<AgentEvent> {
  readonly id: string;
  /** Absolute path of the log. */
  readonly locator: string;
  /** Resolves when the run has ended or waits for a decision. Rejects only if the run could not be recorded. */
  readonly result: Promise<RunResult<Output>>;
  readonly #live: Promise<LiveRun<Output>>;
  readonly #opening: AbortController;

  constructor({ id, locator, live, opening }: AgentRunParts<Output>) {
    this.id = id;
    this.locator = locator;
    this.#live = live;
    this.#opening = opening;
    this.result = live.then((run) => run.finished);
    // Whoever only reads the events gets the error there.
    this.result.catch(() => {});
  }

  /** All events from the beginning; ends with the run. A reader that is slow holds nothing up. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, undefined> {
    const live = await this.#live;
    yield* live.events();
    await this.result;
  }

  /**
   * Sends a message to the model: before its next step (`now`), or when it would otherwise be done (`after`). With
   * `interrupt`, what the run is doing is stopped for it. Resolves when the message is in the log. Rejects with RUN_ENDED
   * if the run has ended.
   */
  async send(text: string, options: SendOptions = {}): Promise<void> {
    await (await this.#live).send(text, options);
  }

  /** Stops the run, whatever it does; resolves when none of its processes is left. */
  async cancel(reason = 'cancelled'): Promise<void> {
    this.#opening.abort(new Error(reason));
    const live = await this.#live.catch(() => null);
    await live?.cancel(reason);
    await this.result.catch(() => {});
  }

  /**
   * Stops the run, whatever it does, without ending it: `agent.resume` continues it. Resolves when none of its processes
   * is left.
   */
  async close(reason = 'closed'): Promise<void> {
    const live = await this.#live.catch(() => null);
    await live?.close(reason);
    await this.result.catch(() => {});
  }

  /** @internal What child agents have used counts against the budgets of this run. */
  async live(): Promise<LiveRun<Output>> {
    return await this.#live;
  }
}
