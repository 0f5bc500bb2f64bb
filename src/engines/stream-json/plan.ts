import type { Drafter, DraftOptions } from '../drafter.ts';
import { fieldOf, isObject, listOf, taken, textOf } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';

type Items = { text: string; status?: string }[];

export interface Plan {
  /** A tool was called; some carry the whole plan. */
  called(tool: string, input: unknown, unit: Unit, options: DraftOptions): void;
  /** A call succeeded; some change the plan by one task. `details` is what the engine itself knows of the outcome. */
  succeeded(tool: string, input: unknown, details: unknown, unit: Unit, options: DraftOptions): void;
}

/** The plan behind the tools for it: a list written anew each time, or tasks that are made and changed one by one. */
export function createPlan(draft: Drafter): Plan {
  const tasks = new RecentMap<string, { text: string; status: string }>();

  function tell(items: Items, unit: Unit, options: DraftOptions): void {
    draft.event('agent.plan.updated', { items }, unit, options);
  }

  /** True when the plan is another one now. */
  function change(tool: string, input: unknown, details: unknown): boolean {
    switch (tool) {
      case 'TaskCreate': {
        const id = textOf(fieldOf(details, 'task', 'id'));
        const text = textOf(fieldOf(input, 'subject'));
        if (id === null || text === null) return false;
        tasks.set(id, { text, status: 'pending' });
        return true;
      }
      case 'TaskUpdate': {
        const id = textOf(fieldOf(input, 'taskId'));
        const task = id === null ? undefined : tasks.get(id);
        if (!task) return false;
        task.text = textOf(fieldOf(input, 'subject')) ?? task.text;
        task.status = textOf(fieldOf(input, 'status')) ?? task.status;
        if (task.status === 'deleted') tasks.delete(id!);
        return true;
      }
      case 'TaskList': {
        const list = fieldOf(details, 'tasks');
        if (!Array.isArray(list)) return false;
        tasks.clear();
        for (const task of list) {
          const id = textOf(fieldOf(task, 'id'));
          const text = textOf(fieldOf(task, 'subject'));
          if (id !== null && text !== null)
            tasks.set(id, { text, status: textOf(fieldOf(task, 'status')) ?? 'pending' });
        }
        return true;
      }
      default:
        return false;
    }
  }

  return {
    called(tool, input, unit, options) {
      if (tool !== 'TodoWrite' && tool !== 'todo_write') return;
      const todos = fieldOf(input, 'todos');
      if (Array.isArray(todos)) tell(itemsOf(todos), unit, options);
    },
    succeeded(tool, input, details, unit, options) {
      if (change(tool, input, details))
        tell(
          [...tasks.values()].map((task) => ({ ...task })),
          unit,
          options,
        );
    },
  };
}

function itemsOf(todos: readonly unknown[]): Items {
  return listOf(todos).map((todo) => {
    const text = textOf(fieldOf(todo, 'content')) ?? JSON.stringify(taken(todo));
    const status = isObject(todo) ? textOf(todo.status) : null;
    return status === null ? { text } : { text, status };
  });
}
