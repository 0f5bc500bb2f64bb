import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { DiagnosticGroup, DiagnosticPlace } from '../../model/events/diagnostic-groups.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { clock } from '../../model/times.ts';
import { useRowHeight } from '../../parts/layout/use-row-height.ts';
import { useAction } from '../../state/actions.tsx';
import { seqOfSelection } from '../../state/coverage-of.ts';
import { selectEvent } from '../../state/select.ts';
import { useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { diagnostics as diagnosticTexts } from '../../text/sections/diagnostics.ts';
import { diagnosticMeaning } from './diagnostic-meaning.ts';
import { SeverityShape } from './severity-mark.tsx';

/** Longer groups are initially collapsed. */
const OPEN_MOST = 50;

type Row = { group: DiagnosticGroup; place: DiagnosticPlace | null };

/** Codes with their occurrences; only visible rows are rendered. */
export function DiagnosticTree({ groups, below }: { groups: readonly DiagnosticGroup[]; below: number }) {
  const text = useText();
  const session = useSession();
  const selection = useView((view) => view.selection);
  const seq = seqOfSelection(session, selection);
  /** Which codes the user collapsed or expanded. */
  const [folding, setFolding] = useState<ReadonlyMap<string | null, boolean>>(new Map());
  const isOpen = (group: DiagnosticGroup) =>
    folding.get(group.code) ?? (group.places.length <= OPEN_MOST || group.places.some((place) => place.seq === seq));
  const rows: Row[] = groups.flatMap((group) => [
    { group, place: null },
    ...(isOpen(group) ? group.places.map((place) => ({ group, place })) : []),
  ]);
  const selected = rows.findIndex(({ place }) => place !== null && place.seq === seq);
  const [cursor, setCursor] = useState<number | null>(null);
  const focusable = Math.min(rows.length - 1, cursor ?? Math.max(0, selected));
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]!.place === null ? rowHeight + 18 : rowHeight),
    overscan: 10,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      return indexes.includes(focusable) ? indexes : [...indexes, focusable].sort((a, b) => a - b);
    },
  });
  const shape = useMemo(() => rows.map(({ place }) => (place ? '.' : '#')).join(''), [rows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights depend on which rows are heads.
  useEffect(() => list.measure(), [list, shape, rowHeight]);
  useEffect(() => {
    if (selected >= 0) list.scrollToIndex(selected, { align: 'auto' });
    setCursor(null);
  }, [selected, list]);

  function fold(group: DiagnosticGroup, open: boolean): void {
    setFolding(new Map(folding).set(group.code, open));
  }

  function act({ group, place }: Row): void {
    if (place) selectEvent(session, place.seq);
    else fold(group, !isOpen(group));
  }

  function go(index: number): boolean {
    const row = rows[index];
    if (!row) return false;
    setCursor(index);
    list.scrollToIndex(index, { align: 'auto' });
    if (row.place) selectEvent(session, row.place.seq, { step: 'replace' });
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
    return true;
  }
  useAction('next-row', () => go(focusable + 1), 'diagnostics');
  useAction('previous-row', () => go(focusable - 1), 'diagnostics');
  useAction('first', () => go(0), 'diagnostics');
  useAction('last', () => go(rows.length - 1), 'diagnostics');

  function press(event: KeyboardEvent, row: Row): void {
    if (event.ctrlKey || event.altKey || event.shiftKey) return;
    if (!handleKey(event.key, row)) return;
    event.preventDefault();
  }

  /** Handles the keys of a tree; false for other keys. */
  function handleKey(key: string, row: Row): boolean {
    if (key === 'ArrowDown') go(focusable + 1);
    else if (key === 'ArrowUp') go(focusable - 1);
    else if (key === 'Home') go(0);
    else if (key === 'End') go(rows.length - 1);
    else if (key === 'ArrowRight') fold(row.group, true);
    else if (key === 'ArrowLeft') fold(row.group, false);
    else if (key === 'Enter' || key === ' ') act(row);
    else return false;
    return true;
  }

  return (
    <div className="diagnostics-scroll" ref={scroller}>
      <div
        role="tree"
        aria-label={text(diagnosticTexts.list)}
        className="diagnostics-rows"
        style={{ height: list.getTotalSize() }}
      >
        {list.getVirtualItems().map(({ index, start, size }) => {
          const row = rows[index]!;
          const { group, place } = row;
          return (
            <div
              key={index}
              role="treeitem"
              aria-level={place ? 2 : 1}
              aria-expanded={place ? undefined : isOpen(group)}
              aria-selected={index === selected}
              tabIndex={index === focusable ? 0 : -1}
              className={place ? 'diagnostic-place' : 'diagnostic-group'}
              style={{ transform: `translateY(${start}px)`, height: size }}
              onClick={() => act(row)}
              onKeyDown={(event) => press(event, row)}
            >
              {place ? <Place place={place} /> : <GroupHead group={group} below={below} open={isOpen(group)} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function GroupHead({ group, below, open }: { group: DiagnosticGroup; below: number; open: boolean }) {
  const text = useText();
  const { code, severity, places } = group;
  const bound = String(Number(below.toFixed(2)));
  return (
    <>
      <span className="diagnostic-code">
        <span aria-hidden="true">{open ? '▾' : '▸'}</span> <SeverityShape severity={severity} />{' '}
        <span className={code === null ? '' : 'bytes'}>
          {code === null ? text(diagnosticTexts.lowConfidence)(bound) : showUnseen(code)}
        </span>{' '}
        <span className="quiet">{text(diagnosticTexts.times)(places.length)}</span>
      </span>
      <span className="diagnostic-meaning small quiet">
        {text(code === null ? diagnosticTexts.lowConfidenceMeaning : diagnosticMeaning(code))}
      </span>
    </>
  );
}

function Place({ place }: { place: DiagnosticPlace }) {
  const text = useText();
  const { seq, time, severity, message, repeated } = place;
  return (
    <>
      <span className="bytes quiet">{seq}</span>
      <span className="bytes quiet">{clock(time, { tenths: true })}</span>
      <span className="diagnostic-message">
        <SeverityShape severity={severity} />{' '}
        {repeated === null ? showUnseen(message) : text(diagnosticTexts.repeated)(repeated)}
      </span>
    </>
  );
}
