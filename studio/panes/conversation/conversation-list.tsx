import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import type { ConversationFold, RowKind } from '../../model/conversation/conversation-rows.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { rowActions } from './row-actions.ts';
import { RowView } from './row-view.tsx';
import { useRowKeys } from './use-row-keys.ts';
import { useRowPlaces } from './use-row-places.ts';
import { useScrolling } from './use-scrolling.ts';

/** Heights of rows before they are measured, close enough that the scrollbar does not jump. */
const ESTIMATES: Partial<Record<RowKind, number>> = { user: 60, assistant: 80, question: 60 };

interface Props {
  fold: ConversationFold;
  /** Indexes of the rows that are shown. */
  shown: readonly number[];
  /** Shown below the last row. */
  children: ReactNode;
}

export function ConversationList({ fold, shown, children }: Props) {
  const text = useText();
  const session = useSession();
  const { start } = useModel();
  const scroller = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => setOpened((before) => toggled(before, id)), []);
  const own = useRef<string | null>(null);
  const actions = useMemo(() => rowActions(session, { toggle, own }), [session, toggle]);
  const { selected, here } = useRowPlaces(fold, shown);
  const following = useView((view) => view.following);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => ESTIMATES[fold.rows[shown[at]!]!.kind] ?? 26,
    getItemKey: (at) => fold.rows[shown[at]!]!.id,
    overscan: 8,
    // The selected row stays rendered, so that it keeps the focus while scrolling.
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), selected, shown.length),
  });
  const tabbed = selected >= 0 ? selected : shown.length - 1;
  useScrolling({ scroller, virtualizer, selected, here, following, fold, shown, own });
  useRowKeys({ fold, shown, scroller, selected, here, actions });

  return (
    <div className="conversation" ref={scroller}>
      <div
        className="conversation-rows"
        // An empty feed would promise rows to screen readers.
        {...(shown.length > 0 && { role: 'feed', 'aria-label': text(strings.tabs.conversation) })}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ key, index: at, start: top }) => {
          const row = fold.rows[shown[at]!]!;
          return (
            <RowView
              key={key}
              measure={virtualizer.measureElement}
              row={row}
              at={at}
              of={shown.length}
              top={top}
              start={start ?? 0}
              selected={at === selected}
              here={at === here}
              tabbed={at === tabbed}
              open={opened.has(row.id)}
              actions={actions}
            />
          );
        })}
      </div>
      {children}
    </div>
  );
}

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  return after;
}

function withRow(range: number[], row: number, count: number): number[] {
  if (row < 0 || row >= count || range.includes(row)) return range;
  return [...range, row].sort((one, other) => one - other);
}
