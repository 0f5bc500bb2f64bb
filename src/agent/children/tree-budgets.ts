import type { Budgets } from '../../protocol/index.ts';
import type { AgentUse, ChildUse, ExhaustedBudget } from '../../tools/index.ts';
import { exhaustedOf, type Used } from '../loop/budgets.ts';
import { NO_BUDGETS } from '../settings.ts';
import { addUsage } from '../state/add-usage.ts';

interface Node {
  runId: string;
  parent: Node | null;
  budgets: Budgets;
  own: AgentUse;
  /** A step that was allowed and is not yet part of `own`. */
  isReserved: boolean;
  children: Set<Node>;
}

const NOTHING: AgentUse = { steps: 0, usage: {}, cost_usd: null };

/**
 * What the runs of trees of agents use. The budgets of a run cover all runs below it. A step counts from the moment when
 * it is allowed, so that children that ask at the same time cannot exceed a budget together.
 */
export class TreeBudgets {
  readonly #nodes = new Map<string, Node>();

  has(runId: string): boolean {
    return this.#nodes.has(runId);
  }

  /**
   * Adds a run, or corrects what is known of it. `children` is the use of its children as its log has it: for those that
   * are not known themselves it stands in their place.
   */
  adopt(run: {
    runId: string;
    parentId: string | null;
    budgets: Budgets;
    used: AgentUse;
    children: readonly ChildUse[];
  }): void {
    const node = this.#node(run.runId, run.parentId);
    node.budgets = run.budgets;
    node.own = run.used;
    for (const child of run.children) {
      if (this.#nodes.has(child.run_id)) continue;
      const { run_id, ...use } = child;
      this.#node(run_id, run.runId).own = use;
    }
  }

  limit(runId: string, budgets: Budgets): void {
    const node = this.#nodes.get(runId);
    if (node) node.budgets = budgets;
  }

  /** All that a run itself has used so far. */
  used(runId: string, own: AgentUse): void {
    const node = this.#nodes.get(runId);
    if (!node) return;
    if (own.steps > node.own.steps) node.isReserved = false;
    node.own = own;
  }

  /** Allows a request to a model: null, or the budget that is used up. */
  reserve(runId: string, { isNew }: { isNew: boolean }): ExhaustedBudget | null {
    const node = this.#nodes.get(runId);
    if (!node) return null;
    node.isReserved = false;
    for (let above: Node | null = node; above; above = above.parent) {
      const exhausted = exhaustedOf(above.budgets, usedIn(above), { isNewStep: isNew });
      if (exhausted) return exhausted;
    }
    node.isReserved = isNew;
    return null;
  }

  /** The run does not continue for now: a step that it did not take is free again. */
  release(runId: string): void {
    const node = this.#nodes.get(runId);
    if (node) node.isReserved = false;
  }

  /** Use by a run and all runs below it. */
  totalOf(runId: string): ChildUse {
    const node = this.#nodes.get(runId);
    const use: ChildUse = { run_id: runId, ...NOTHING, usage: {} };
    if (node) addAll(use, node);
    return use;
  }

  childrenOf(runId: string): string[] {
    return [...(this.#nodes.get(runId)?.children ?? [])].map((child) => child.runId);
  }

  parentOf(runId: string): string | null {
    return this.#nodes.get(runId)?.parent?.runId ?? null;
  }

  #node(runId: string, parentId: string | null): Node {
    const known = this.#nodes.get(runId);
    if (known) return known;
    const parent = parentId === null ? null : (this.#nodes.get(parentId) ?? null);
    const node = { runId, parent, budgets: NO_BUDGETS, own: NOTHING, isReserved: false, children: new Set<Node>() };
    this.#nodes.set(runId, node);
    parent?.children.add(node);
    return node;
  }
}

function usedIn({ own, isReserved, children }: Node): Used {
  const used = {
    steps: own.steps + (isReserved ? 1 : 0),
    tokens: own.usage.total_tokens ?? 0,
    cost: own.cost_usd ?? 0,
  };
  for (const child of children) {
    const below = usedIn(child);
    used.steps += below.steps;
    used.tokens += below.tokens;
    used.cost += below.cost;
  }
  return used;
}

function addAll(sum: ChildUse, { own, children }: Node): void {
  sum.steps += own.steps;
  sum.usage = addUsage(sum.usage, own.usage);
  if (own.cost_usd !== null) sum.cost_usd = (sum.cost_usd ?? 0) + own.cost_usd;
  for (const child of children) addAll(sum, child);
}
