import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type RefObject, useLayoutEffect, useMemo, useRef } from 'react';
import type { Coverage } from '../../model/bytes/coverage.ts';
import { hexRows, layoutRows, type RawRow, rowAt } from '../../model/bytes/raw-lines.ts';
import type { MarkedSpan } from '../../model/bytes/raw-marks.ts';
import type { ByteSpan, StreamName } from '../../model/bytes/raw-ranges.ts';
import { endOf, type RawWindow } from '../../model/bytes/raw-window.ts';
import { grouped } from '../../model/run-figures.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { pickedBytes } from './picked-bytes.ts';
import { RawGutter, RawHex, RawText } from './raw-row.tsx';
import { useColumns } from './use-columns.ts';

export type Look = 'text' | 'colours' | 'hex';

const ROW = 20;
/** Distance in rows from an edge at which more is loaded. */
const NEAR = 40;

export interface Jump {
  byte: number | null;
}

interface Props {
  name: StreamName;
  window: RawWindow;
  look: Look;
  marks: readonly MarkedSpan[];
  coverage: Coverage;
  /** The attempt has ended. Until then bytes may not have an event yet. */
  settled: boolean;
  /** A byte to scroll to, once for each object; null to stay. */
  jump: Jump;
  onByte(byte: number): void;
  onPicked(span: ByteSpan | null): void;
  onNearStart(): void;
  onNearEnd(): void;
}

/** The loaded bytes of a stream, row by row. */
export function RawView(props: Props) {
  const { name, window, look, marks, coverage, settled, jump } = props;
  const text = useText();
  const scroller = useRef<HTMLElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const [lineWidth, offsetWidth] = gutterWidths(window);
  const columns = useColumns({ scroller, probe, gutter: lineWidth + offsetWidth });
  const perRow = columns >= 68 ? 16 : columns >= 35 ? 8 : 4;
  const rows: readonly (ByteSpan | RawRow)[] = useMemo(() => {
    const { from: base, bytes } = window;
    if (look === 'hex') return hexRows({ from: base, to: endOf(window) }, perRow);
    return layoutRows(bytes, { base, columns, colours: look === 'colours', startsLine: base === 0 });
  }, [window, look, columns, perRow]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  useScrollPlace(scroller, { rows, complete: endOf(window) >= window.total, jump });

  function scrolled(): void {
    const { scrollTop, clientHeight } = scroller.current!;
    if (window.from > 0 && scrollTop < NEAR * ROW) props.onNearStart();
    if (endOf(window) < window.total && scrollTop + clientHeight > (rows.length - NEAR) * ROW) props.onNearEnd();
  }

  function released({ target }: MouseEvent): void {
    const picked = pickedBytes(scroller.current);
    props.onPicked(picked);
    const piece = target instanceof Element ? target.closest<HTMLElement>('[data-from]') : null;
    if (!picked && piece) props.onByte(Number(piece.dataset.from));
  }

  return (
    <>
      <span ref={probe} className="raw-probe bytes" aria-hidden="true">
        {'0'.repeat(100)}
      </span>
      <section
        className="raw-view bytes"
        ref={scroller}
        aria-label={text(strings.raw.bytesLabel)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={scrolled}
        onMouseUp={released}
        onKeyUp={() => props.onPicked(pickedBytes(scroller.current))}
      >
        <div className="raw-rows" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!;
            const { from, to } = row;
            const claimed = coverage.has(name) ? coverage.stretches(name, { from, to }) : [];
            const stretches = settled ? claimed : claimed.filter(({ fate }) => fate !== 'unclaimed');
            const touching = marks.filter((mark) => mark.from < to && mark.to > from);
            return (
              <div
                key={from}
                className="raw-row"
                style={{
                  transform: `translateY(${start}px)`,
                  gridTemplateColumns: `${lineWidth}ch ${offsetWidth}ch 8px minmax(0, 1fr)`,
                }}
              >
                <RawGutter line={lineOf(row, window)} from={from} stretches={stretches} />
                {'pieces' in row ? (
                  <RawText row={row} marks={touching} />
                ) : (
                  <RawHex
                    row={row}
                    perRow={perRow}
                    bytes={window.bytes.subarray(from - window.from, to - window.from)}
                    marks={touching}
                  />
                )}
              </div>
            );
          })}
        </div>
      </section>
    </>
  );
}

/** Characters for line numbers and for byte positions. */
function gutterWidths({ firstLine, bytes, total }: RawWindow): [number, number] {
  // An estimate that needs no counting, and stays the same while scrolling.
  const lines = (firstLine ?? 1) + Math.ceil(bytes.length / 16);
  return [Math.max(3, grouped(Math.min(lines, total)).length), Math.max(3, grouped(total).length)];
}

function lineOf(row: ByteSpan | RawRow, { firstLine }: RawWindow): number | null {
  return 'pieces' in row && row.startsLine && firstLine !== null ? firstLine + row.line : null;
}

/** Scrolls to the byte of a jump, at a third of the height; other changes do not move the visible rows. */
function useScrollPlace(
  scroller: RefObject<HTMLElement | null>,
  { rows, complete, jump }: { rows: readonly ByteSpan[]; complete: boolean; jump: Jump },
): void {
  const done = useRef<{ jump: Jump; scrollTop: number } | null>(null);
  const anchor = useRef<{ byte: number; pixels: number } | null>(null);

  useLayoutEffect(() => {
    const [element, first, last] = [scroller.current, rows[0], rows.at(-1)];
    if (!element || !first || !last) return;
    const third = element.clientHeight / 3;
    const remember = () => {
      const at = element.scrollTop + third;
      const row = rows[Math.min(rows.length - 1, Math.floor(at / ROW))];
      anchor.current = row ? { byte: row.from, pixels: at % ROW } : null;
    };
    const { byte } = jump;
    // Until the user scrolls, other widths and more bytes do not move the position away.
    const wanted = done.current?.jump !== jump || done.current.scrollTop === element.scrollTop;
    if (byte !== null && wanted && byte >= first.from && (byte < last.to || complete)) {
      element.scrollTop = rowAt(rows, byte) * ROW - third;
      done.current = { jump, scrollTop: element.scrollTop };
    } else if (anchor.current) {
      element.scrollTop = rowAt(rows, anchor.current.byte) * ROW + anchor.current.pixels - third;
    }
    remember();
    element.addEventListener('scroll', remember);
    return () => element.removeEventListener('scroll', remember);
  }, [scroller, rows, complete, jump]);
}
