import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { eventAt } from '../../../src/record/index.ts';
import { type EventRow, rowOf } from '../../model/events/event-rows.ts';
import { useRowHeight } from '../../parts/layout/use-row-height.ts';
import { useAction } from '../../state/actions.tsx';
import { seqOfSelection } from '../../state/coverage-of.ts';
import { openEvent, selectEvent } from '../../state/select.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { EventJson, EventLine } from './event-line.tsx';

const COLUMNS = ['seq', 'time', 'source', 'event', 'summary', 'confidence', 'attempt'] as const;
const SHORT = { confidence: strings.events.confidenceShort, attempt: strings.events.attemptShort };

/** The table itself: only visible rows are rendered, and always the one with the focus, so that it is not lost. */
export function EventsGrid({ rows, json }: { rows: readonly EventRow[]; json: boolean }) {
  const text = useText();
  const session = useSession();
  const model = useModel();
  const following = useView((view) => view.following);
  const selected = useView(({ selection }) => selection);
  const seq = seqOfSelection(session, selected);
  const current = seq === null ? -1 : rowOf(rows, seq);
  const focusable = current >= 0 ? current : rows.length - 1;
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const rowHeight = useRowHeight();
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      return focusable < 0 || indexes.includes(focusable) ? indexes : [...indexes, focusable].sort((a, b) => a - b);
    },
  });

  const sticks = following && atEnd;
  useLayoutEffect(() => {
    if (sticks && rows.length > 0) list.scrollToIndex(rows.length - 1, { align: 'end' });
  }, [sticks, rows.length, list]);
  // Scrolls to a selection made elsewhere; while following, to the end.
  useEffect(() => {
    if (current >= 0 && !sticks) list.scrollToIndex(current, { align: 'auto' });
  }, [current, sticks, list]);

  function go(index: number): void {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    selectEvent(session, row.seq, { step: 'replace' });
    const focused = scroller.current?.contains(document.activeElement);
    if (focused) requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  }
  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
  useAction('next-row', () => go(current + 1), 'events');
  useAction('previous-row', () => go(current < 0 ? rows.length - 1 : current - 1), 'events');
  useAction('first', () => go(0), 'events');
  useAction('last', () => go(rows.length - 1), 'events');
  useAction('open', () => (seq === null ? false : openEvent(session, seq)), 'events');

  function press(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowDown: focusable + 1,
      ArrowUp: focusable - 1,
      PageDown: focusable + page(),
      PageUp: focusable - page(),
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    go(to);
  }

  function scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    setAtEnd(scrollHeight - scrollTop - clientHeight < 2 * rowHeight);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: see EventLine.
    <div
      className="events-grid bytes"
      data-json={json}
      role="grid"
      aria-label={text(strings.tabs.events)}
      aria-rowcount={rows.length + 1}
      onKeyDown={press}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see EventLine. */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with the head. */}
      <div role="row" className="event-row events-head small" aria-rowindex={1}>
        {json ? (
          <Head name="json" long="JSON" />
        ) : (
          COLUMNS.map((name) => (
            <Head
              key={name}
              name={name}
              long={text(strings.events[name])}
              short={name === 'confidence' || name === 'attempt' ? text(SHORT[name]) : undefined}
            />
          ))
        )}
      </div>
      <div className="events-scroll" ref={scroller} onScroll={scrolled} role="presentation">
        <div role="presentation" className="events-rows" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!;
            return (
              // biome-ignore lint/a11y/useSemanticElements: see EventLine.
              <div
                key={row.seq}
                role="row"
                className="event-row"
                aria-rowindex={index + 2}
                aria-selected={index === current}
                tabIndex={index === focusable ? 0 : -1}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => selectEvent(session, row.seq)}
                onDoubleClick={() => openEvent(session, row.seq)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return;
                  event.preventDefault();
                  openEvent(session, row.seq);
                }}
              >
                {json ? (
                  <EventJson event={eventAt(model, row.seq)!} />
                ) : (
                  <EventLine model={model} row={row} before={rows[index - 1]} />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {following && !atEnd && session.isLive && (
        <button type="button" className="events-to-end small" onClick={() => setAtEnd(true)}>
          ↓ {text(strings.events.toEnd)}
        </button>
      )}
    </div>
  );
}

function Head({ name, long, short }: { name: string; long: string; short?: string | undefined }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see EventLine.
    // biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with the head.
    <div role="columnheader" className={`event-cell event-${name}`} title={short && long} aria-label={long}>
      {short ?? long}
    </div>
  );
}
