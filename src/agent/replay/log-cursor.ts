import type { AgentData, AgentEvent, AgentEventType } from '../../protocol/index.ts';
import { exactData } from '../run/fold-log.ts';
import type { Vault } from '../wal/index.ts';

/** A place in a log: what comes next in it. */
export class LogCursor {
  readonly events: readonly AgentEvent[];
  readonly #vault: Pick<Vault, 'getJson'>;
  /** How many events are behind. */
  at: number;

  constructor(events: readonly AgentEvent[], vault: Pick<Vault, 'getJson'>, at: number) {
    this.events = events;
    this.#vault = vault;
    this.at = at;
  }

  get next(): AgentEvent | undefined {
    return this.events[this.at];
  }

  /** The data of an event before secrets were masked. */
  exact<T extends AgentEventType>(event: AgentEvent<T>): AgentData<T> {
    return exactData(event, this.#vault);
  }
}
