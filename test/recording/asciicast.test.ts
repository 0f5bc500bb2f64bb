import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asciicast, type Moment } from '../../src/recording/index.ts';
import { HEADER } from './recording.ts';

const out = (side: 'a' | 'b', content: string | Buffer, time = 0): Moment => ({
  kind: 'output',
  side,
  time,
  bytes: Buffer.from(content as string),
});
const typed = (content: string | Buffer, time = 0): Moment => ({
  kind: 'input',
  time,
  bytes: Buffer.from(content as string),
});

function cast(moments: readonly Moment[], addCarriageReturn = false) {
  const lines = [...asciicast(moments, { header: HEADER, title: 'a run', addCarriageReturn })];
  for (const line of lines) expect(line).toMatch(/^[^\n]+\n$/);
  const [header, ...events] = lines.map((line) => JSON.parse(line));
  return { header, events: events as [number, 'o' | 'i' | 'r', string][] };
}

const shown = (events: readonly [number, string, string][], code = 'o') =>
  events
    .filter(([, kind]) => kind === code)
    .map(([, , data]) => data)
    .join('');

/** The bytes in pieces of random sizes, as moments of one terminal. */
const pieces = (bytes: Buffer, sizes: readonly number[], side: 'a' | 'b' = 'a') => {
  const parts: Moment[] = [];
  for (let from = 0, index = 0; from < bytes.length; index++) {
    const size = sizes[index % sizes.length]!;
    parts.push(out(side, bytes.subarray(from, from + size)));
    from += size;
  }
  return parts;
};
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 10 });

describe('asciicast', () => {
  test('begins with the header that players need', () => {
    expect(cast([]).header).toEqual({
      version: 2,
      width: 80,
      height: 24,
      timestamp: Math.floor(HEADER.startedAt.getTime() / 1000),
      command: HEADER.command,
      title: 'a run',
      env: { TERM: 'xterm-256color' },
    });
  });

  test('keeps output, input and resizes in order, with their times in seconds', () => {
    const resize: Moment = { kind: 'resize', time: 2_500_000, cols: 100, rows: 30 };
    expect(cast([out('a', 'x', 1), typed('y', 1_000_000), resize, out('b', 'z', 61_000_001)]).events).toEqual([
      [0.000001, 'o', 'x'],
      [1, 'i', 'y'],
      [2.5, 'r', '100x30'],
      [61.000001, 'o', 'z'],
    ]);
  });

  test('has the same text however chunk boundaries split characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), sizes, (text, cuts) => {
        const bytes = Buffer.from(text);
        expect(shown(cast(pieces(bytes, cuts)).events)).toBe(bytes.toString());
      }),
    );
  });

  test('has the same text as decoding all bytes at once, also for bytes that are not text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), sizes, (values, cuts) => {
        const bytes = Buffer.from(values);
        expect(shown(cast(pieces(bytes, cuts)).events)).toBe(bytes.toString());
      }),
    );
  });

  test('joins a character that output of the other terminal interrupts', () => {
    const euro = Buffer.from('€');
    const moments = [
      out('a', euro.subarray(0, 1)),
      out('b', 'error\n'),
      typed(euro.subarray(0, 2)),
      out('a', euro.subarray(1)),
      typed(euro.subarray(2)),
    ];
    const { events } = cast(moments);
    expect(shown(events)).toBe('error\n€');
    expect(shown(events, 'i')).toBe('€');
  });

  test('keeps an incomplete character at the end', () => {
    const half = Buffer.from('€').subarray(0, 2);
    const { events } = cast([out('a', half, 7), typed(half, 8), out('b', half, 9)]);
    expect(events.map(([time, code]) => [time, code])).toEqual([
      [0.000009, 'o'],
      [0.000009, 'o'],
      [0.000009, 'i'],
    ]);
    expect(shown(events)).toMatch(/^\ufffd+$/);
  });

  test('adds the carriage returns that a display needs, however line endings are split', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\r', '\n') });
    fc.assert(
      fc.property(text, sizes, (content, cuts) => {
        const expected = content.replaceAll(/\r?\n/g, '\r\n');
        expect(shown(cast(pieces(Buffer.from(content), cuts), true).events)).toBe(expected);
        expect(shown(cast(pieces(Buffer.from(content), cuts)).events)).toBe(content);
      }),
    );
  });
});
