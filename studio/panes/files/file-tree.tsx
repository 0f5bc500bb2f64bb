import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import type { TreeRow } from '../../model/files/file-tree.ts';
import { useRowHeight } from '../../parts/layout/use-row-height.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { ChangeMark } from './change-mark.tsx';
import { sizesOf } from './change-words.ts';
import { visibleName } from './visible-name.ts';

interface Props {
  rows: readonly TreeRow[];
  selected: string | null;
  onSelect(row: TreeRow, how: 'click' | 'walk'): void;
  onFold(path: string): void;
}

/** Changed files as a tree with a roving focus. */
export function FileTree({ rows, selected, onSelect, onFold }: Props) {
  const text = useText();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const at = rows.findIndex(({ path }) => path === selected);

  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);

  function walkTo(next: number): boolean {
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (row) onSelect(row, 'walk');
    return row !== undefined;
  }
  useAction('next-row', () => walkTo(at + 1), 'files');
  useAction('previous-row', () => walkTo(at - 1), 'files');
  useAction('first', () => walkTo(0), 'files');
  useAction('last', () => walkTo(rows.length - 1), 'files');

  function press(event: KeyboardEvent) {
    const row = rows[at];
    const foldable = row?.folder && (event.key === 'ArrowRight') !== row.folder.open;
    if (event.key === 'ArrowDown') walkTo(at + 1);
    else if (event.key === 'ArrowUp') walkTo(at - 1);
    else if (event.key === 'Home') walkTo(0);
    else if (event.key === 'End') walkTo(rows.length - 1);
    else if (event.key === 'Enter' && row?.folder) onFold(row.path);
    else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && row) {
      if (foldable) onFold(row.path);
    } else return;
    event.preventDefault();
  }

  return (
    <div
      ref={scroller}
      className="file-tree"
      role="tree"
      tabIndex={0}
      aria-label={text(strings.files.tree)}
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      onKeyDown={press}
    >
      <div style={{ height: virtual.getTotalSize() }} role="none">
        {virtual.getVirtualItems().map(({ index, start, size }) => {
          const row = rows[index]!;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and the keys.
            <div
              key={row.path}
              id={`${id}-${index}`}
              role="treeitem"
              tabIndex={-1}
              className="file-row"
              aria-level={row.depth + 1}
              aria-selected={row.path === selected}
              aria-expanded={row.folder?.open}
              style={{ height: size, transform: `translateY(${start}px)`, paddingLeft: 8 + row.depth * 14 }}
              onClick={() => (row.folder && row.change === null ? onFold(row.path) : onSelect(row, 'click'))}
            >
              <Row row={row} onFold={onFold} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Row({ row: { path, name, change, folder }, onFold }: { row: TreeRow; onFold(path: string): void }) {
  const text = useText();
  const isDirectory = (change?.after ?? change?.before)?.type === 'directory';
  return (
    <>
      {folder ? (
        <span
          className="file-fold"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onFold(path);
          }}
        >
          {folder.open ? '▾' : '▸'}
        </span>
      ) : (
        <span className="file-fold" aria-hidden="true" />
      )}
      {change && <ChangeMark kind={change.kind} />}
      <span className="file-name bytes" title={visibleName(path)}>
        {visibleName(name)}
        {(folder || isDirectory) && '/'}
      </span>
      <span className="file-size quiet small">
        {folder ? folder.changes : change && !isDirectory ? sizesOf(change, text) : null}
      </span>
    </>
  );
}
