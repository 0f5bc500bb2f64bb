import type { ChildHost } from '../../agent/children/starter.ts';
import type { ExhaustedBudget } from '../../tools/index.ts';
import type { FromChild } from './messages.ts';

/** The daemon as the process of an agent sees it. */
export class DaemonHost implements ChildHost {
  readonly #send: (message: FromChild) => void;
  readonly #reserving = new Map<number, (exhausted: ExhaustedBudget | null) => void>();
  #lastId = 0;

  constructor(send: (message: FromChild) => void) {
    this.#send = send;
  }

  /** Waits as long as the daemon lives; this process ends with it. */
  reserve(...[used, { isNew }]: Parameters<ChildHost['reserve']>): Promise<ExhaustedBudget | null> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#reserving.set(id, resolve);
      this.#send({ type: 'reserve', id, used, isNew });
    });
  }

  used(used: Parameters<ChildHost['used']>[0]): void {
    this.#send({ type: 'used', used });
  }

  reserved(id: number, exhausted: ExhaustedBudget | null): void {
    this.#reserving.get(id)?.(exhausted);
    this.#reserving.delete(id);
  }
}
