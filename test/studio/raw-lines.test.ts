import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hexRows, layoutRows, rowAt } from '../../studio/model/bytes/raw-lines.ts';
import { byteAt, markPieces } from '../../studio/model/bytes/raw-marks.ts';
import type { ByteSpan } from '../../studio/model/bytes/raw-ranges.ts';
import { segmentsOf } from '../../studio/model/bytes/raw-segments.ts';
import { append, endOf, prepend, windowOf } from '../../studio/model/bytes/raw-window.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const OPTIONS = { base: 100, columns: 16, colours: false, startsLine: true };

/** Random bytes: text, colours, wide and invisible characters, and invalid UTF-8. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map(utf8),
      fc.constantFrom('\u001b[31m', '\r\n', '\n', '語', '\u202e', '🚀', 'e\u0301', '\u001b]0;x\u0007').map(utf8),
      fc.uint8Array({ maxLength: 6 }),
    ),
  )
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));

function expectTiles(spans: readonly ByteSpan[], from: number, to: number): void {
  expect(spans.reduce((at, span) => (span.from === at && span.to > at ? span.to : Number.NaN), from)).toBe(to);
}

test('shows control bytes, names invisible characters, and keeps bytes that are not text', () => {
  const bytes = Uint8Array.from([...utf8('a\u001b[32mb\u202eé\t'), 0xff, ...utf8('\r\n')]);
  expect([...segmentsOf(bytes, 10)].map(({ kind, shown, from }) => [kind, shown, from])).toEqual([
    ['text', 'a', 10],
    ['control', '␛[32m', 11],
    ['text', 'b', 16],
    ['invisible', '⟨U+202E⟩', 17],
    ['text', 'é', 20],
    ['control', '→', 22],
    ['invalid', '\\xff', 23],
    ['control', '←', 24],
    ['control', '↵', 25],
  ]);
});

test('the segments, rows and pieces of a window tile it exactly, for any bytes', () => {
  fc.assert(
    fc.property(anyBytes, fc.integer({ min: 16, max: 40 }), fc.boolean(), (bytes, columns, colours) => {
      const end = 100 + bytes.length;
      expectTiles([...segmentsOf(bytes, 100)], 100, end);
      const rows = layoutRows(bytes, { ...OPTIONS, columns, colours });
      expectTiles(rows, 100, end);
      for (const row of rows) expectTiles(row.pieces, row.from, row.to);
      expectTiles(hexRows({ from: 100, to: end }, 16), 100, end);
    }),
  );
});

test('text is decoded correctly', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      // Some letters are invisible blanks; those are shown by name.
      const kept = text.replace(/[^\p{L}\p{N}]|[\u115f\u1160\u3164\uffa0]/gu, '');
      expect([...segmentsOf(utf8(kept), 0)].map(({ shown }) => shown).join('')).toBe(kept);
    }),
  );
});

test('a long line continues in the next row, and lines are counted', () => {
  const rows = layoutRows(utf8('0123456789abcdefXYZ\n語語語語語語語語語\n'), OPTIONS);
  expect(
    rows.map(({ pieces, line, startsLine }) => [pieces.map(({ shown }) => shown).join(''), line, startsLine]),
  ).toEqual([
    ['0123456789abcdef', 0, true],
    ['XYZ↵', 0, false],
    ['語語語語語語語語', 1, true],
    ['語↵', 1, false],
  ]);
  expect(rowAt(rows, 100 + 17)).toBe(1);
});

test('with colours the sequences are applied, not shown', () => {
  const [row] = layoutRows(utf8('\u001b[1;31mno\u001b[0m yes\u001b[38;2;0;200;0m!'), { ...OPTIONS, colours: true });
  const drawn = row!.pieces.filter(({ shown }) => shown !== '');
  expect(drawn.map(({ shown, style }) => [shown, style?.colour, style?.bold])).toEqual([
    ['no', 'red', true],
    [' yes', null, false],
    ['!', 'green', false],
  ]);
});

test('raw jump highlights exactly the referenced bytes, and marks a character that the range splits', () => {
  const [row] = layoutRows(utf8('ab\u001b[1mé語x'), OPTIONS);
  const marked = markPieces(row!.pieces, [{ from: 101, to: 108, mark: 'range' }]);
  expect(marked.map(({ shown, mark }) => [shown, mark])).toEqual([
    ['a', null],
    ['b', 'range'],
    ['␛[1m', 'range'],
    ['é', 'range'],
    ['語x', null],
  ]);
  const cut = markPieces(row!.pieces, [{ from: 107, to: 109, mark: 'range' }]);
  expect(cut.map(({ shown, mark }) => [shown, mark])).toEqual([
    ['ab', null],
    ['␛[1m', null],
    ['é', 'cut'],
    ['語', 'cut'],
    ['x', null],
  ]);
});

test('marks tile the row, and cover the bytes of the range and no others', () => {
  fc.assert(
    fc.property(anyBytes, fc.nat(60), fc.nat(60), (bytes, at, length) => {
      const range = { from: 100 + at, to: 100 + at + length, mark: 'range' as const };
      for (const row of layoutRows(bytes, OPTIONS)) {
        const marked = markPieces(row.pieces, [range]);
        expectTiles(marked, row.from, row.to);
        for (const { from, to, mark } of marked) {
          const inside = from >= range.from && to <= range.to && length > 0;
          const touched = from < range.to && to > range.from;
          expect(mark).toBe(inside ? 'range' : touched ? 'cut' : null);
        }
      }
    }),
  );
});

test('a position in the shown text maps to a byte', () => {
  expect(byteAt({ kind: 'text', from: 10, to: 16 }, '語é!', 2)).toBe(15);
  expect(byteAt({ kind: 'control', from: 10, to: 14 }, '␛[1m', 2)).toBe(12);
  expect(byteAt({ kind: 'invisible', from: 10, to: 13 }, '⟨U+202E⟩', 4)).toBe(13);
});

test('a window that grows on both sides has the bytes of the stream and the number of its first line', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '語', '\n', '🚀'), { minLength: 4 }),
      fc.nat(),
      fc.nat(),
      (parts, one, other) => {
        const all = utf8(parts.join(''));
        const [from, to] = [one % all.length, other % all.length].sort((a, b) => a - b) as [number, number];
        const first = { ...windowOf(from, all.subarray(from, to), all.length) };
        const known = { ...first, firstLine: all.subarray(0, first.from).filter((byte) => byte === 10).length + 1 };
        const right = append(known, all.subarray(endOf(known)), all.length);
        const whole = prepend(right, all.subarray(0, right.from));
        expect([whole.from, whole.firstLine, [...whole.bytes]]).toEqual([0, 1, [...all]]);
      },
    ),
  );
});
