import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import type { RunList } from '../../model/runs/run-list.ts';
import { useGridRows } from '../../parts/layout/use-grid-rows.ts';
import { useMedia } from '../../parts/layout/use-media.ts';
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

/** The runs as a grid in which one row at a time has the focus; only visible rows are rendered. */
export function RunTable({ list: { rows, cursor }, pending, summaries, isLoadingMore, onMore }: Props) {
  const text = useText();
  const [, navigate] = useLocation();
  const body = useRef<HTMLDivElement>(null);
  const isCards = useMedia('(max-width: 699px)');
  const isTouch = useMedia('(pointer: coarse)');
  const height = isCards ? 52 : isTouch ? 44 : 26;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]!.run_id,
    overscan: 12,
  });

  const rowProps = useGridRows({
    ids: rows.map(({ run_id }) => run_id),
    body,
    open: (index) => navigate(`/runs/${rows[index]!.handle}`),
    reveal: (index) => virtual.scrollToIndex(index),
  });

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
                rowProps={rowProps(index)}
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
