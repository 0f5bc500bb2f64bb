import { findAgentRun } from '../wal/list-runs.ts';
import { isAgentRunId } from '../wal/run-folder.ts';

/** No tree of agents is as deep; a log that was changed by hand may name itself as its parent. */
const MAX_CHAIN = 64;

/** Which run works for which, as their logs say. It never changes, so each log is read once. */
export class Lineage {
  readonly #workspaceRoot: string;
  readonly #parents = new Map<string, string | null>();

  constructor(workspaceRoot: string) {
    this.#workspaceRoot = workspaceRoot;
  }

  note(runId: string, parentId: string | null): void {
    this.#parents.set(runId, parentId);
  }

  /** The run, its parent, and so on; empty if there is no such run. */
  async chain(runId: string): Promise<string[]> {
    const chain: string[] = [];
    for (let at: string | null = runId; at !== null && chain.length < MAX_CHAIN; ) {
      const parent: string | null | undefined = await this.#parentOf(at);
      if (parent === undefined || chain.includes(at)) break;
      chain.push(at);
      at = parent;
    }
    return chain;
  }

  /** Undefined if there is no such run. */
  async #parentOf(runId: string): Promise<string | null | undefined> {
    const known = this.#parents.get(runId);
    if (known !== undefined) return known;
    if (!isAgentRunId(runId)) return undefined;
    const { last, parent } = await findAgentRun(this.#workspaceRoot, runId);
    if (last === null) return undefined;
    this.note(runId, parent?.run_id ?? null);
    return parent?.run_id ?? null;
  }
}
