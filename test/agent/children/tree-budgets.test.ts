import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TreeBudgets } from '../../../src/agent/children/tree-budgets.ts';
import { NO_BUDGETS } from '../../../src/agent/settings.ts';
import type { AgentUse } from '../../../src/tools/index.ts';

const used = (steps: number, total_tokens = 0, cost_usd: number | null = null): AgentUse => ({
  steps,
  usage: { total_tokens },
  cost_usd,
});

function run(runId: string, parentId: string | null = null, max_steps: number | null = null) {
  return { runId, parentId, budgets: { ...NO_BUDGETS, max_steps }, used: used(0), children: [] };
}

describe('TreeBudgets', () => {
  it('counts the steps of all runs against the budget of the first', () => {
    const trees = new TreeBudgets();
    trees.adopt(run('a', null, 3));
    trees.adopt(run('b', 'a'));
    trees.adopt(run('c', 'b'));
    expect(trees.reserve('c', { isNew: true })).toBeNull();
    expect(trees.reserve('b', { isNew: true })).toBeNull();
    expect(trees.reserve('a', { isNew: true })).toBeNull();
    const exhausted = { budget: 'steps', limit: 3, used: 3 };
    trees.used('c', used(1));
    expect(trees.reserve('c', { isNew: true })).toEqual(exhausted);
    // A step that has begun may be tried again.
    expect(trees.reserve('c', { isNew: false })).toBeNull();
    // One that was not taken is free again.
    trees.release('a');
    expect(trees.reserve('c', { isNew: true })).toBeNull();
  });

  it('checks the budgets of every run above', () => {
    const trees = new TreeBudgets();
    trees.adopt(run('a', null, 100));
    trees.adopt(run('b', 'a', 1));
    trees.adopt(run('c', 'b'));
    expect(trees.reserve('c', { isNew: true })).toBeNull();
    expect(trees.reserve('b', { isNew: true })).toEqual({ budget: 'steps', limit: 1, used: 1 });
    expect(trees.reserve('a', { isNew: true })).toBeNull();
  });

  it('counts tokens and cost', () => {
    const trees = new TreeBudgets();
    trees.adopt({ ...run('a'), budgets: { ...NO_BUDGETS, max_tokens: 100, max_cost_usd: 1 } });
    trees.adopt(run('b', 'a'));
    trees.used('b', used(1, 99, 0.5));
    expect(trees.reserve('a', { isNew: true })).toBeNull();
    trees.used('b', used(2, 100, 0.6));
    expect(trees.reserve('a', { isNew: true })).toEqual({ budget: 'tokens', limit: 100, used: 100 });
    trees.used('b', used(2, 50, 1));
    expect(trees.reserve('a', { isNew: false })).toEqual({ budget: 'cost', limit: 1, used: 1 });
  });

  it('knows what earlier children have used from the log of their parent, until they are known themselves', () => {
    const trees = new TreeBudgets();
    trees.adopt({ ...run('a', null, 10), used: used(2), children: [{ run_id: 'b', ...used(5) }] });
    expect(trees.totalOf('a')).toMatchObject({ steps: 7 });
    // Its own steps, and those of its own child.
    trees.adopt({ ...run('b', 'a'), used: used(3), children: [{ run_id: 'c', ...used(2) }] });
    expect(trees.totalOf('a')).toMatchObject({ steps: 7 });
    trees.used('b', used(4));
    expect(trees.totalOf('a')).toMatchObject({ run_id: 'a', steps: 8 });
    expect(trees.childrenOf('a')).toEqual(['b']);
  });

  it('knows nothing about a run without children, and allows it', () => {
    const trees = new TreeBudgets();
    trees.used('a', used(5));
    expect(trees.reserve('a', { isNew: true })).toBeNull();
    expect(trees.totalOf('a')).toEqual({ run_id: 'a', steps: 0, usage: {}, cost_usd: null });
  });

  it('gives a tree exactly its steps, whichever of its runs ask in whichever order', () => {
    const sizes = fc.record({ max: fc.integer({ min: 1, max: 30 }), count: fc.integer({ min: 1, max: 8 }) });
    const moves = fc.array(fc.record({ run: fc.nat(), completes: fc.boolean() }), { maxLength: 200 });
    fc.assert(
      fc.property(sizes, moves, ({ max, count }, order) => {
        const trees = new TreeBudgets();
        const ids = Array.from({ length: count }, (_, n) => `r${n}`);
        for (const [n, id] of ids.entries()) {
          trees.adopt(run(id, n === 0 ? null : ids[Math.floor((n - 1) / 2)]!, n === 0 ? max : null));
        }
        const taken = new Map(ids.map((id) => [id, 0]));
        const begun = new Set<string>();
        for (const { run: which, completes } of order) {
          const id = ids[which % count]!;
          const total = [...taken.values()].reduce((sum, own) => sum + own, begun.size);
          if (begun.delete(id)) {
            if (completes) taken.set(id, taken.get(id)! + 1);
            trees.used(id, used(taken.get(id)!));
            if (!completes) trees.release(id);
          } else {
            const isAllowed = trees.reserve(id, { isNew: true }) === null;
            expect(isAllowed).toBe(total < max);
            if (isAllowed) begun.add(id);
          }
        }
      }),
    );
  });
});
