import type { Budgets } from '../../protocol/index.ts';
import type { AgentUse, ChildUse, ExhaustedBudget, RunLink } from '../../tools/index.ts';
import { NO_BUDGETS } from '../settings.ts';
import type { Changes } from './changes.ts';
import { Charges } from './charges.ts';
import { agentNotFound } from './child-errors.ts';
import type { Lineage } from './lineage.ts';
import { type RunFacts, readRunFacts } from './run-facts.ts';
import { TreeBudgets } from './tree-budgets.ts';

interface SharedBudgetsParts {
  workspaceRoot: string;
  lineage: Lineage;
  changes: Changes;
  /** Gives a run that is carried out here what one of its children has used. */
  charge(parentId: string, use: ChildUse): void;
  /** Whether what a run has used is reported as it happens. */
  isReported(runId: string): boolean;
}

const NOTHING: AgentUse = { steps: 0, usage: {}, cost_usd: null };

/** The budgets of all trees of a workspace: what was used before comes from the logs, what is used now is reported. */
export class SharedBudgets {
  readonly #parts: SharedBudgetsParts;
  readonly #links = new Map<string, RunLink>();
  readonly #trees = new TreeBudgets();
  readonly #charges: Charges;

  constructor(parts: SharedBudgetsParts) {
    this.#parts = parts;
    this.#charges = new Charges(this.#trees, (parentId, use) => {
      this.#links.get(parentId)?.charge(use);
      parts.charge(parentId, use);
      parts.changes.notify();
    });
  }

  /** A run of this process. */
  attach(link: RunLink): void {
    this.#links.set(link.runId, link);
  }

  /** Returns how many are left. */
  detach(runId: string): number {
    this.#links.delete(runId);
    this.#trees.release(runId);
    return this.#links.size;
  }

  /** A run begins or continues. `facts` is null for a new one. */
  begin(runId: string, parentId: string | null, facts: RunFacts | null): void {
    const { budgets = NO_BUDGETS, used = NOTHING, children = [] } = facts ?? {};
    this.#trees.adopt({ runId, parentId, budgets, used, children });
  }

  limit(runId: string, budgets: Budgets): void {
    this.#trees.limit(runId, budgets);
  }

  used(runId: string, own: AgentUse): void {
    this.#trees.used(runId, own);
    this.#charges.note(runId);
  }

  /** A run does not continue for now. All runs above it know at once what it has used. */
  end(runId: string, facts: RunFacts | null): void {
    this.#trees.release(runId);
    if (facts) this.#trees.used(runId, facts.used);
    this.#charges.note(runId);
    this.#charges.flush();
  }

  reserve(runId: string, own: AgentUse, step: { isNew: boolean }): ExhaustedBudget | null {
    this.#trees.used(runId, own);
    // What its children have used is in its log before it looks at its own budgets.
    this.#charges.flush();
    return this.#trees.reserve(runId, step);
  }

  totalOf(runId: string): ChildUse {
    return this.#trees.totalOf(runId);
  }

  /** What the children of a run have used, and a number that grows with it. */
  childrenOf(runId: string): { version: number; children: ChildUse[] } {
    const children = this.#trees.childrenOf(runId).map((id) => this.#trees.totalOf(id));
    return { version: this.#charges.version(runId), children };
  }

  isBelow(runId: string, ancestorId: string): boolean {
    for (let at = this.#trees.parentOf(runId); at !== null; at = this.#trees.parentOf(at)) {
      if (at === ancestorId) return true;
    }
    return false;
  }

  /** Reads what is not known yet about a run and all runs above it; `own` is what was just read. Throws AGENT_NOT_FOUND. */
  async adopt(runId: string, own: RunFacts | null = null): Promise<void> {
    const chain = await this.#parts.lineage.chain(runId);
    if (chain.length === 0) throw agentNotFound(runId);
    for (const id of chain.reverse()) {
      const isKnown = this.#trees.has(id);
      if (isKnown && (id !== runId || this.#links.has(id) || this.#parts.isReported(id))) continue;
      const facts = (id === runId && own) || (await readRunFacts(this.#parts.workspaceRoot, id));
      if (!facts) continue;
      const used = this.#links.get(id)?.used() ?? facts.used;
      this.#trees.adopt({ ...facts, used, parentId: facts.parent?.run_id ?? null });
    }
  }
}
