import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import type { GraphNode } from '../../model/graph/graph.ts';
import { type ListRow, listRows } from '../../model/graph/graph-list.ts';
import type { GraphPart } from '../../model/graph/graph-view.ts';
import { useRowHeight } from '../../parts/layout/use-row-height.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { kindWord, nodeLabel, shapeOf } from './node-words.ts';

const MAX_INDENTS = 12;

interface Props {
  part: GraphPart;
  selected: string | null;
  onPick(node: GraphNode): void;
  onOpen(node: GraphNode): void;
}

/** The same edges as a list, with each node below what led to it. */
export function GraphList({ part, selected, onPick, onOpen }: Props) {
  const text = useText();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const rows = useMemo(() => listRows(part), [part]);
  // A node may have several rows; this is the one that the user navigated to.
  const [walked, setWalked] = useState<string | null>(null);
  const walkedTo = rows.findIndex(({ key, node }) => key === walked && node.id === selected);
  const at = walkedTo >= 0 ? walkedTo : rows.findIndex(({ node }) => node.id === selected);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  });

  function walkTo(next: number): boolean {
    const place = Math.max(0, Math.min(rows.length - 1, next));
    const row = rows[place];
    if (row === undefined) return false;
    setWalked(row.key);
    virtual.scrollToIndex(place, { align: 'auto' });
    onPick(row.node);
    return true;
  }
  useAction('next-row', () => walkTo(at + 1), 'graph');
  useAction('previous-row', () => walkTo(at - 1), 'graph');
  useAction('first', () => walkTo(0), 'graph');
  useAction('last', () => walkTo(rows.length - 1), 'graph');

  function press(event: KeyboardEvent) {
    const row = rows[at];
    if (event.key === 'ArrowDown') walkTo(at + 1);
    else if (event.key === 'ArrowUp') walkTo(at - 1);
    else if (event.key === 'Home') walkTo(0);
    else if (event.key === 'End') walkTo(rows.length - 1);
    else if (event.key === 'Enter' && row) onOpen(row.node);
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={scroller}
      className="graph-list"
      role="tree"
      tabIndex={0}
      aria-label={text(strings.graph.listLabel)}
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      onKeyDown={press}
    >
      <div style={{ height: virtual.getTotalSize() }} role="none">
        {virtual.getVirtualItems().map(({ index, start, size }) => {
          const row = rows[index]!;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and the keys.
            <div
              key={row.key}
              id={`${id}-${index}`}
              role="treeitem"
              tabIndex={-1}
              className="graph-row"
              data-hollow={row.node.seq === null}
              aria-level={row.depth + 1}
              aria-selected={row.node.id === selected}
              style={{
                height: size,
                transform: `translateY(${start}px)`,
                paddingLeft: 12 + Math.min(MAX_INDENTS, row.depth) * 14,
              }}
              onClick={() => {
                setWalked(row.key);
                onPick(row.node);
              }}
            >
              <Row row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Row({ row: { node, tie, again } }: { row: ListRow }) {
  const text = useText();
  return (
    <>
      <span
        className="graph-tie quiet"
        title={tie === 'attempt' ? text(strings.graph.sameAttempt) : undefined}
        aria-hidden="true"
      >
        {tie === null ? '' : tie === 'id' ? '└' : '┄'}
      </span>
      <span className="graph-shape" data-lane={node.lane} data-failed={node.failed} aria-hidden="true">
        {shapeOf(node)}
      </span>
      <span className="graph-kind quiet">{kindWord(node, text)}</span>
      <span className="graph-label">{nodeLabel(node, text)}</span>
      {again && <span className="quiet small">{text(strings.graph.alsoAbove)}</span>}
      {node.seq !== null && <span className="bytes quiet small">{node.seq}</span>}
    </>
  );
}
