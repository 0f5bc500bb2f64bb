import type { PlanItem } from '../../model/conversation/conversation-rows.ts';
import { showUnseen } from '../../model/text/unseen.ts';

const SHAPES: Readonly<Record<string, string>> = { completed: '✓', in_progress: '●' };

export function PlanList({ items }: { items: readonly PlanItem[] }) {
  return (
    <ol className="conversation-plan">
      {items.map(({ text, status }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a plan have no names.
        <li key={index}>
          <span title={status ?? undefined}>{SHAPES[status ?? ''] ?? '○'}</span> <bdi>{showUnseen(text)}</bdi>
        </li>
      ))}
    </ol>
  );
}

/** Progress of a plan, and its active items. */
export function planState(items: readonly PlanItem[]) {
  const done = items.filter(({ status }) => status === 'completed').length;
  const current = items.find(({ status }) => status === 'in_progress') ?? items[done];
  return {
    summary: current?.text ?? '',
    state: (
      <span className="conversation-state bytes quiet">
        {done}/{items.length}
      </span>
    ),
  };
}
