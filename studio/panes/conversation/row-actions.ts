import type { RefObject } from 'react';
import type { Row } from '../../model/conversation/conversation-rows.ts';
import { formatUrl } from '../../model/url.ts';
import { FIRST_VIEW, type View } from '../../model/view.ts';
import type { RunSession } from '../../state/run-session.ts';
import type { Step } from '../../state/view-store.ts';

/** Actions on a row. The same object for all rows, so that it causes no rerender. */
export interface RowActions {
  select(row: Row, step?: Step): void;
  toggle(id: string): void;
  /** Opens the details of a row, or the files it names. */
  open(row: Row): void;
  showEvent(row: Row): void;
  showBytes(row: Row): void;
  showDiagnostic(seq: number): void;
  linkTo(row: Row): string;
}

interface Options {
  toggle(id: string): void;
  /** The row chosen in the list itself; the list scrolls to any other. */
  own: RefObject<string | null>;
}

export function rowActions({ view, model }: RunSession, { toggle, own }: Options): RowActions {
  const placeOf = (row: Row): Partial<View> => ({
    selection: { kind: 'event', seq: row.seq },
    time: Math.max(0, row.from - (model.start ?? 0)),
    following: false,
  });
  const go = (row: Row, change: Partial<View> = {}, step: Step = 'push') => {
    own.current = row.id;
    view.change({ ...placeOf(row), ...change }, step);
  };
  return {
    select: (row, step) => go(row, {}, step),
    toggle,
    open(row) {
      if (row.kind === 'files') go(row, { tab: 'files', attempt: row.attempt });
      else if (isFolded(row)) toggle(row.id);
    },
    showEvent: (row) => go(row, { tab: 'event' }),
    showBytes(row) {
      const range = Array.isArray(row.raw_ref) ? row.raw_ref[0] : row.raw_ref;
      if (range) go(row, { selection: { kind: 'bytes', range }, tab: 'raw' });
    },
    showDiagnostic: (seq) => view.change({ selection: { kind: 'event', seq }, tab: 'diagnostics', following: false }),
    linkTo(row) {
      return `${location.origin}${location.pathname}${formatUrl({ ...FIRST_VIEW, ...placeOf(row) })}`;
    },
  };
}

/** One line that opens in place. */
export function isFolded({ kind }: Row): boolean {
  return kind === 'tool' || kind === 'reasoning' || kind === 'plan';
}
