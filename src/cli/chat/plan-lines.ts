import { cutToColumns } from './columns.ts';
import type { Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

export interface PlanLines {
  show(items: readonly unknown[]): void;
}

type State = 'done' | 'active' | 'dropped' | 'open';
interface Step {
  text: string;
  state: State;
}

const SIGNS: Readonly<Record<State, string>> = { done: '☑', active: '▸', dropped: '☒', open: '☐' };
const STATES: Readonly<Record<string, State>> = {
  completed: 'done',
  complete: 'done',
  done: 'done',
  in_progress: 'active',
  inprogress: 'active',
  active: 'active',
  running: 'active',
  cancelled: 'dropped',
  canceled: 'dropped',
  skipped: 'dropped',
};
const TEXT_FIELDS = ['text', 'content', 'step', 'title', 'task', 'description'];
const MAX_STEPS = 12;

/** The assistant's plan: a checklist first, then only the steps that changed. */
export function createPlanLines(page: Page): PlanLines {
  let before: Step[] = [];

  function paint({ text, state }: Step): string {
    const { colors, screen } = page;
    const line = `${SIGNS[state]} ${cutToColumns(text, screen.columns - 4)}`;
    if (state === 'active') return `  ${colors.bold(line)}`;
    return `  ${state === 'open' ? line : colors.dim(line)}`;
  }

  return {
    show(items) {
      const steps = items.map(stepOf);
      const same = steps.length === before.length && steps.every(({ text }, at) => text === before[at]!.text);
      const news = same ? steps.filter(({ state }, at) => state !== before[at]!.state) : steps;
      before = steps;
      if (news.length === 0) return;
      const done = steps.filter(({ state }) => state === 'done').length;
      const rows = [page.colors.dim(`plan  ${done} of ${steps.length} done`), ...news.slice(0, MAX_STEPS).map(paint)];
      if (news.length > MAX_STEPS) rows.push(page.colors.dim(`  … ${news.length - MAX_STEPS} more`));
      page.lines('plan', rows);
    },
  };
}

/** Engines use different words for the same list. */
function stepOf(item: unknown): Step {
  const fields: Record<string, unknown> = typeof item === 'object' && item !== null ? { ...item } : { text: item };
  const text = TEXT_FIELDS.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '');
  const status = fields.completed === true ? 'done' : String(fields.status ?? fields.state ?? '');
  const state = STATES[status.toLowerCase().replaceAll(/[\s-]/g, '_')];
  return { text: sanitizeOneLine(String(text ?? JSON.stringify(item))), state: state ?? 'open' };
}
