import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { RunView } from '../../../src/protocol/index.ts';
import type { RunList } from '../../model/runs/run-list.ts';
import { useMedia } from '../../parts/use-media.ts';
import { useAction } from '../../state/actions.tsx';
import type { RunSummaries } from '../../state/run-summaries.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { RunRow } from './run-row.tsx';

interface Props {
  list: RunList;
  pending: ReadonlyMap<string, number>;
  summaries: RunSummaries;
  isLoadingMore: boolean;
  onMore(): void;
}

const COLUMNS = [
  'discColumn',
  'status',
  'titleColumn',
  'engine',
  'started',
  'duration',
  'attempts',
  'tokens',
  'cost',
  'diagnostics',
  'approvals',
] as const;

/** The runs as a grid in which one row at a time has the focus; only rows that are seen are there. */
export function RunTable({ list: { rows, cursor }, pending, summaries, isLoadingMore, onMore }: Props) {
  const text = useText();
  const [, navigate] = useLocation();
  const body = useRef<HTMLDivElement>(null);
  const isCards = useMedia('(max-width: 699px)');
  const isTouch = useMedia('(pointer: coarse)');
  const height = isCards ? 52 : isTouch ? 44 : 26;
  const [current, setCurrent] = useState<string | null>(null);
  // The row that was left may be gone; the first one then takes its place.
  const place = Math.max(
    0,
    rows.findIndex(({ run_id }) => run_id === current),
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]!.run_id,
    overscan: 12,
  });

  function go(index: number) {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    setCurrent(row.run_id);
    virtual.scrollToIndex(rows.indexOf(row));
    // The row is drawn in the next frame at the latest.
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-run="${row.run_id}"]`)?.focus());
  }
  const open = ({ handle }: RunView) => navigate(`/runs/${handle}`);
  useAction('next-row', () => go(current === null ? 0 : place + 1));
  useAction('previous-row', () => go(place - 1));
  useAction('first', () => go(0));
  useAction('last', () => go(rows.length - 1));
  useAction('open', () => rows[place] && current !== null && open(rows[place]));

  return (
    <div className="run-rows" ref={body}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid. */}
      <table className="run-table" role="grid" aria-label={text(strings.runs.list)} aria-rowcount={rows.length + 1}>
        <thead>
          <tr className="run-row run-head" aria-rowindex={1}>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className={`run-${column}`}>
                {text(strings.runs[column])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start, size }) => {
            const run = rows[index]!;
            return (
              <RunRow
                key={key}
                run={run}
                summaries={summaries}
                pending={pending.get(run.run_id) ?? 0}
                place={{ index, start, size }}
                isCurrent={index === place}
                onFocus={() => setCurrent(run.run_id)}
                onOpen={() => open(run)}
                onStep={(step) => go(index + step)}
              />
            );
          })}
        </tbody>
      </table>
      {cursor !== null && (
        <button type="button" className="plain runs-more" aria-busy={isLoadingMore} onClick={onMore}>
          {text(isLoadingMore ? strings.app.loading : strings.runs.more)}
        </button>
      )}
    </div>
  );
}
