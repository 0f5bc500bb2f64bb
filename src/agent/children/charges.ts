import type { ChildUse } from '../../tools/index.ts';
import type { TreeBudgets } from './tree-budgets.ts';

/** Children may take many steps in a second; their parents get the sum. */
const INTERVAL_MS = 100;

/** Brings what children use to the runs above them, each of which counts it in its own log. */
export class Charges {
  readonly #budgets: TreeBudgets;
  readonly #deliver: (parentId: string, use: ChildUse) => void;
  readonly #dirty = new Set<string>();
  readonly #versions = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(budgets: TreeBudgets, deliver: (parentId: string, use: ChildUse) => void) {
    this.#budgets = budgets;
    this.#deliver = deliver;
  }

  /** The run has used something. */
  note(runId: string): void {
    this.#dirty.add(runId);
    this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS).unref();
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const changed = new Set<string>();
    for (const runId of this.#dirty) {
      for (let at: string | null = runId; at !== null && !changed.has(at); at = this.#budgets.parentOf(at)) {
        changed.add(at);
      }
    }
    this.#dirty.clear();
    for (const runId of changed) {
      const parentId = this.#budgets.parentOf(runId);
      if (parentId === null) continue;
      this.#versions.set(parentId, this.version(parentId) + 1);
      this.#deliver(parentId, this.#budgets.totalOf(runId));
    }
  }

  /** Grows whenever a child of the run has used something. */
  version(runId: string): number {
    return this.#versions.get(runId) ?? 0;
  }
}
