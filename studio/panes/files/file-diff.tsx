import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { diffTexts } from '../../../src/record/changes/text-diff.ts';
import { type DiffRow, sideBySideRows, unifiedRows } from '../../model/files/diff-rows.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { LineText } from './line-text.tsx';

export type DiffForm = 'unified' | 'side_by_side';

const LINE_HEIGHT = 20;

/** The changes of a text. Only visible lines are rendered. */
export function FileDiff({ before, after, form }: { before: string; after: string; form: DiffForm }) {
  const text = useText();
  const scroller = useRef<HTMLElement>(null);
  const diff = useMemo(() => diffTexts(before, after), [before, after]);
  const rows = useMemo(() => (form === 'unified' ? unifiedRows(diff) : sideBySideRows(diff)), [diff, form]);
  const starts = useMemo(() => rows.flatMap(({ hunk }, index) => (hunk === null ? [] : [index])), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 30,
  });

  function step(by: 1 | -1): boolean {
    const first = virtual.getVirtualItemForOffset(virtual.scrollOffset ?? 0)?.index ?? 0;
    const next = by > 0 ? starts.find((start) => start > first) : starts.findLast((start) => start < first);
    if (next !== undefined) virtual.scrollToIndex(next, { align: 'start' });
    return starts.length > 0;
  }
  useAction('next-match', () => step(1), 'files');
  useAction('previous-match', () => step(-1), 'files');

  if (rows.every(({ kind }) => kind === 'gap')) return <p className="notice">{text(strings.files.sameContent)}</p>;
  return (
    <>
      <div className="diff-steps small quiet">
        <span>{text(strings.files.hunkOf)(diff.hunks.length)}</span>
        <button type="button" className="plain" onClick={() => step(-1)} aria-keyshortcuts="p">
          ↑ <span className="heard">{text(strings.files.previousHunk)}</span>
        </button>
        <button type="button" className="plain" onClick={() => step(1)} aria-keyshortcuts="n">
          ↓ <span className="heard">{text(strings.files.nextHunk)}</span>
        </button>
        {diff.tooDifferent && <span>{text(strings.files.tooDifferent)}</span>}
      </div>
      <section
        ref={scroller}
        className="diff bytes"
        data-form={form}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
        tabIndex={0}
        aria-label={text(strings.files.view)}
      >
        <div style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              data-index={index}
              ref={virtual.measureElement}
              className="diff-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row row={rows[index]!} />
            </div>
          ))}
        </div>
      </section>
    </>
  );
}

function Row({ row }: { row: DiffRow }) {
  const text = useText();
  switch (row.kind) {
    case 'gap':
      return <div className="diff-gap quiet">⋯ {text(strings.files.linesLeftOut)(row.lines)}</div>;
    case 'line':
      return (
        <>
          <span className="diff-number quiet">{row.line.before}</span>
          <span className="diff-number quiet">{row.line.after}</span>
          <LineText line={row.line} />
        </>
      );
    case 'pair':
      return (
        <>
          <span className="diff-number quiet">{row.before?.before}</span>
          <LineText line={row.before} />
          <span className="diff-number quiet">{row.after?.after}</span>
          <LineText line={row.after} />
        </>
      );
  }
}
