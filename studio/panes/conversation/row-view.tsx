import { type MouseEvent, memo } from 'react';
import type { Row } from '../../model/conversation/conversation-rows.ts';
import { clock } from '../../model/times.ts';
import { useText } from '../../text/language.ts';
import type { RowActions } from './row-actions.ts';
import { RowButtons } from './row-buttons.tsx';
import { RowContent } from './row-content.tsx';
import { RowMarks } from './row-marks.tsx';
import { rowName } from './row-name.ts';

interface Props {
  row: Row;
  /** Its index among the visible rows, and their number. */
  at: number;
  of: number;
  /** Pixels from the top of the list. */
  top: number;
  /** When the run began. */
  start: number;
  selected: boolean;
  /** The playhead is here. */
  here: boolean;
  /** The one row of the list that the Tab key reaches. */
  tabbed: boolean;
  open: boolean;
  measure(element: Element | null): void;
  actions: RowActions;
}

export const RowView = memo(function RowView(props: Props) {
  const { row, at, of, top, start, selected, here, tabbed, open, measure, actions } = props;

  const text = useText();

  function click({ target }: MouseEvent) {
    // Selecting text must not select the row.
    const marks = getSelection()?.isCollapsed === false;
    if (!marks && !(target as Element).closest('button, a, summary')) actions.select(row);
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page do the same.
    <article
      ref={measure}
      className="conversation-row"
      data-index={at}
      data-kind={row.kind}
      data-nested={row.nested}
      data-here={here}
      tabIndex={tabbed ? 0 : -1}
      aria-posinset={at + 1}
      aria-setsize={of}
      aria-current={selected}
      aria-label={rowName(row, text)}
      style={{ transform: `translateY(${top}px)` }}
      onClick={click}
    >
      <div className="conversation-content">
        <RowContent row={row} open={open} tabbed={tabbed} actions={actions} />
        <RowMarks row={row} tabbed={tabbed} actions={actions} />
      </div>
      <time className="conversation-time bytes" dateTime={new Date(row.from).toISOString()} title={whole(row.from)}>
        {clock(row.from - start, { tenths: true })}
      </time>
      <RowButtons row={row} tabbed={tabbed} actions={actions} />
    </article>
  );
});

function whole(time: number): string {
  return new Date(time).toISOString().replace('T', ' ');
}
