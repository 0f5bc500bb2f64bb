import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSseParser, type SseFrame } from '../../src/client/sse-parser.ts';

const encoder = new TextEncoder();
const parse = (...chunks: (string | Uint8Array)[]): SseFrame[] => {
  const parser = createSseParser();
  return chunks.flatMap((chunk) => parser.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk));
};

describe('a frame', () => {
  test('has an id, a name and data', () => {
    expect(parse('id: 7\nevent: run_event\ndata: {"a":1}\n\n')).toEqual([
      { id: '7', event: 'run_event', data: '{"a":1}' },
    ]);
  });

  test('without a name is a message, and keeps the last id', () => {
    expect(parse('id: 7\ndata: one\n\ndata: two\n\nid\ndata: three\n\n')).toEqual([
      { id: '7', event: 'message', data: 'one' },
      { id: '7', event: 'message', data: 'two' },
      { id: '', event: 'message', data: 'three' },
    ]);
  });

  test('joins several lines of data', () => {
    expect(parse('data: one\ndata:two\ndata\ndata:  three\n\n')[0]!.data).toBe('one\ntwo\n\n three');
  });

  test('without data is not a frame, but its id counts', () => {
    expect(parse('event: ping\nid: 3\n\ndata: x\n\n')).toEqual([{ id: '3', event: 'message', data: 'x' }]);
  });

  test('is complete only after an empty line', () => {
    expect(parse('data: x\n')).toEqual([]);
    expect(parse('data: x\n', '\n')).toHaveLength(1);
  });

  test('may end its lines with LF, CR or CRLF, split anywhere', () => {
    const expected = [
      { id: '', event: 'message', data: 'a\nb' },
      { id: '', event: 'message', data: 'c' },
    ];
    for (const end of ['\n', '\r', '\r\n']) {
      const text = `data: a${end}data: b${end}${end}data: c${end}${end}`;
      expect(parse(text)).toEqual(expected);
      expect(parse(...text)).toEqual(expected);
    }
    expect(parse('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual(expected.slice(0, 1));
  });

  test('may follow a byte order mark; inside of the frame the mark is text', () => {
    expect(parse('\ufeffdata: \ufeffx\n\n')[0]!.data).toBe('\ufeffx');
    const bytes = encoder.encode('\ufeffdata: x\n\n');
    expect(parse(...[...bytes].map((byte) => Uint8Array.of(byte)))).toHaveLength(1);
  });
});

test('ignores comments, unknown fields and an id with a NUL', () => {
  expect(parse(': heartbeat\n\n:\nretry: 10\nid: a\0b\nmood: good\ndata: x\n\n')).toEqual([
    { id: '', event: 'message', data: 'x' },
  ]);
});

test('invalid UTF-8 does not affect later frames', () => {
  const frames = parse(Uint8Array.of(...encoder.encode('data: '), 0xff, 0xc3), 'x\n\ndata: y\n\n');
  expect(frames.map(({ data }) => data)).toEqual(['\ufffd\ufffdx', 'y']);
});

const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, ' '));
const word = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll(/[\r\n\0]/g, '_'));
const frames = fc.array(
  fc.record({
    id: fc.option(word),
    event: fc.option(word),
    data: fc.array(line, { minLength: 1, maxLength: 4 }),
    comment: fc.option(line),
    end: fc.constantFrom('\n', '\r', '\r\n'),
  }),
  { maxLength: 8 },
);

function written(list: typeof frames extends fc.Arbitrary<infer T> ? T : never): string {
  return list
    .map(({ id, event, data, comment, end }) => {
      const lines = [
        ...(comment === null ? [] : [`:${comment}`]),
        ...(id === null ? [] : [`id: ${id}`]),
        ...(event === null ? [] : [`event: ${event}`]),
        ...data.map((text) => `data: ${text}`),
      ];
      return `${lines.join(end)}${end}${end}`;
    })
    .join('');
}

/** The same bytes in pieces; the sizes are repeated. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0, count = 0; from < bytes.length; count++) {
    const to = from + sizes[count % sizes.length]!;
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

test('frames are read back, however the bytes are split', () => {
  fc.assert(
    fc.property(frames, sizes, (list, pieces) => {
      let id = '';
      const expected = list.map((one) => {
        id = one.id ?? id;
        return { id, event: one.event ?? 'message', data: one.data.join('\n') };
      });
      expect(parse(...cut(encoder.encode(written(list)), pieces))).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('any bytes give the same frames, however they are split', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .array(fc.constantFrom('data', 'id', 'event', ':', ' ', '\n', '\r', '\r\n', '\n\n', '✓', '\ufeff', '\0', 'x'), {
        maxLength: 60,
      })
      .map((parts) => encoder.encode(parts.join(''))),
  );
  fc.assert(
    fc.property(bytes, sizes, (all, pieces) => {
      expect(parse(...cut(all, pieces))).toEqual(parse(all));
    }),
    { numRuns: 2000 },
  );
});
