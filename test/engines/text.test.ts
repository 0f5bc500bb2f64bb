import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextParser } from '../../src/engines/text/parser.ts';
import type { ByteRange, OutputStream, ParserContext, RaspDraft } from '../../src/protocol/index.ts';
import { proofSize } from '../support/proof-size.ts';

const BLOCK_BYTES = 64 * 1024;
const EXIT = { exit_code: 0, signal: null, time: 0 };

interface Piece {
  stream: OutputStream;
  bytes: Buffer;
  time: number;
}

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .string({ unit: fc.constantFrom('a', 'b', '\n', '\r', ' ', 'é', '😀'), maxLength: 20 })
      .map(Buffer.from),
  },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('x', 'é', '😀', '\n', 'x\n'), fc.nat({ max: 40_000 }))
      .map(([what, count]) => Buffer.from(what.repeat(count))),
  },
  { weight: 1, arbitrary: fc.nat({ max: 70_000 }).map((count) => Buffer.alloc(count, 0x9f)) },
);
const wait = fc.oneof(
  fc.constant(0),
  fc.constantFrom(0.001, 49.999, 50, 50.001, 999.999, 1000, 1000.001),
  fc.double({ min: 0, max: 400, noNaN: true }),
);
const pieces = fc
  .array(fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const, 'pty' as const), text, wait), { maxLength: 20 })
  .map((steps) => {
    let time = 1_700_000_000_000;
    return steps.map(([stream, bytes, after]): Piece => {
      time += after;
      return { stream, bytes, time };
    });
  });

function parse(
  parts: readonly Piece[],
  ticks: (from: number, to: number) => number[] = () => [],
  context: Partial<ParserContext> = {},
) {
  const parser = createTextParser({ attempt: 3, engine: 'text', origin: {}, ...context });
  const drafts: RaspDraft[] = [];
  let last = parts[0]?.time ?? 0;
  for (const { stream, bytes, time } of parts) {
    for (const tick of ticks(last, time)) drafts.push(...parser.tick(tick));
    drafts.push(...parser.tick(time), ...parser.push(stream, bytes, time));
    last = time;
  }
  for (const tick of ticks(last, last + 5000)) drafts.push(...parser.tick(tick));
  drafts.push(...parser.end(EXIT));
  return drafts;
}

const rangeOf = (draft: RaspDraft) => draft.raw_ref as ByteRange;
const bytesOf = (draft: RaspDraft, bytes: Buffer) => bytes.subarray(rangeOf(draft).byte_from, rangeOf(draft).byte_to);
const textOf = (draft: RaspDraft) => (draft.data as { text: string }).text;
const at = (stream: OutputStream, content: string | Buffer, time: number): Piece => ({
  stream,
  bytes: Buffer.from(content as string),
  time,
});
const shown = (drafts: readonly RaspDraft[]) =>
  drafts.map((draft) => `${Date.parse(draft.ts)} ${draft.event.type} ${JSON.stringify(textOf(draft))}`);

describe('the parser of plain output', () => {
  test('gives the same events for the same bytes at the same times, however they are cut and whenever the clock ticks', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (parts, chances) => {
        let next = 0;
        const chance = (below: number) => chances[next++ % chances.length]! % below;
        const cut = parts.flatMap((piece) => {
          const places = Array.from({ length: chance(4) }, () => chance(piece.bytes.length + 1)).sort((a, b) => a - b);
          return [0, ...places].map((from, index) => ({
            ...piece,
            bytes: piece.bytes.subarray(from, places[index] ?? piece.bytes.length),
          }));
        });
        const ticks = (from: number, to: number) =>
          Array.from({ length: chance(4) }, () => from + ((to - from) * chance(1001)) / 1000).sort((a, b) => a - b);
        expect(parse(cut, ticks)).toEqual(parse(parts));
      }),
      { numRuns: proofSize({ small: 40, full: 150 }) },
    );
  });

  test('puts every byte into exactly one unit, in order, and keeps to the limits of a block', () => {
    fc.assert(
      fc.property(pieces, fc.nat({ max: 500 }), (parts, origin) => {
        const drafts = parse(parts, undefined, { origin: { pty: origin } });
        for (const stream of ['stdout', 'stderr', 'pty'] as const) {
          const own = parts.filter((piece) => piece.stream === stream);
          const bytes = Buffer.concat(own.map((piece) => piece.bytes));
          const times = own.flatMap((piece) => Array<number>(piece.bytes.length).fill(piece.time));
          const base = stream === 'pty' ? origin : 0;
          let end = base;
          for (const draft of drafts.filter(({ source }) => source.stream === stream)) {
            const { byte_from, byte_to, attempt_number } = rangeOf(draft);
            expect([byte_from, attempt_number, draft.attempt_number]).toEqual([end, 3, 3]);
            expect(byte_to - byte_from).toBeGreaterThan(0);
            expect(byte_to - byte_from).toBeLessThanOrEqual(BLOCK_BYTES);
            checkUnit(
              draft,
              bytes.subarray(byte_from - base, byte_to - base),
              times.slice(byte_from - base, byte_to - base),
            );
            end = byte_to;
          }
          expect(end).toBe(base + bytes.length);
        }
      }),
      { numRuns: proofSize({ small: 40, full: 150 }) },
    );
  });

  function checkUnit(draft: RaspDraft, bytes: Buffer, times: readonly number[]): void {
    const data = draft.data as { text: string; lines: number; coalesced?: boolean; truncated?: boolean };
    const ends = [...bytes.keys()].filter((index) => bytes[index] === 0x0a);
    expect(data.lines).toBe(ends.length + (bytes.at(-1) === 0x0a ? 0 : 1));
    expect(data.coalesced ?? false).toBe(data.lines > 1);
    if (data.truncated) expect(bytes.length).toBeGreaterThan(1024);
    else expect(data.text).toBe(bytes.toString('utf8'));
    if (ends.length > 0) expect(times[ends.at(-1)!]! - times[ends[0]!]!).toBeLessThanOrEqual(50);
    // A unit is as old as its last byte; a long line cut between characters may have waited for the rest of one.
    expect(Date.parse(draft.ts)).toBeGreaterThanOrEqual(Math.floor(times.at(-1)!));
  }

  test('joins lines that come within 50 ms of the first and no later ones', () => {
    const drafts = parse([
      at('stdout', 'a\n', 1000),
      at('stdout', 'b\n', 1049),
      at('stdout', 'c\n', 1050),
      at('stdout', 'd\n', 1050.001),
    ]);
    expect(shown(drafts)).toEqual(['1050 raw.stdout "a\\nb\\nc\\n"', '1050 raw.stdout "d\\n"']);
    expect(drafts.map(({ data }) => data)).toEqual([
      { text: 'a\nb\nc\n', lines: 3, coalesced: true },
      { text: 'd\n', lines: 1 },
    ]);
  });

  test('keeps a prompt for a second, for the rest of its line', () => {
    expect(shown(parse([at('stdout', 'Name: ', 1000), at('stdout', 'Ann\n', 1999)]))).toEqual([
      '1999 raw.stdout "Name: Ann\\n"',
    ]);
    expect(shown(parse([at('stdout', 'Name: ', 1000), at('stdout', 'Ann\n', 2001)]))).toEqual([
      '1000 raw.stdout "Name: "',
      '2001 raw.stdout "Ann\\n"',
    ]);
  });

  test('gives lines before the prompt after them, also at the end', () => {
    const parts = [at('stdout', 'done\n$ ', 1000)];
    expect(shown(parse(parts))).toEqual(['1000 raw.stdout "done\\n"', '1000 raw.stdout "$ "']);
    expect(parse(parts, () => [1060])).toEqual(parse(parts));
  });

  test('gives streams in the order in which their time runs out', () => {
    const drafts = parse([at('stderr', 'e\n', 1000), at('stdout', 'o\n', 1001), at('stderr', 'later\n', 2000)]);
    expect(shown(drafts)).toEqual(['1000 raw.stderr "e\\n"', '1001 raw.stdout "o\\n"', '2000 raw.stderr "later\\n"']);
    const together = parse([at('stderr', 'e\n', 1000), at('stdout', 'o\n', 1000)]);
    expect(shown(together)).toEqual(['1000 raw.stdout "o\\n"', '1000 raw.stderr "e\\n"']);
  });

  test.each(['x', 'é', '€', '😀'])('cuts a line longer than a block between characters (%s)', (character) => {
    const line = `>${character.repeat(50_000)}\n`;
    const bytes = Buffer.from(line);
    for (const size of [1, 4096, 65_536, 1_000_000]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        at('stdout', bytes.subarray(index * size, (index + 1) * size), 1000),
      );
      const drafts = parse(parts);
      expect(drafts.map((draft) => bytesOf(draft, bytes).toString()).join('')).toBe(line);
      expect(drafts.length).toBe(Math.ceil(bytes.length / BLOCK_BYTES));
    }
  });

  test('does not tear a character apart because its line is old', () => {
    const first = Buffer.concat([Buffer.alloc(BLOCK_BYTES - 1, 'x'), Buffer.from('é').subarray(0, 1)]);
    const drafts = parse([
      at('stdout', 'x', 1000),
      at('stdout', first.subarray(1), 1990),
      at('stdout', Buffer.from([0xa9]), 2100),
      at('stdout', '\n', 2101),
    ]);
    expect(drafts.map(textOf).map((value) => value.slice(-3))).toEqual(['xxx', 'é\n']);
  });

  test('gives nothing for nothing', () => {
    expect(parse([])).toEqual([]);
    expect(parse([at('stdout', '', 1000)])).toEqual([]);
  });

  test('gives events of a flood by the block, not by the line', () => {
    const bytes = Buffer.from('    at Object.<anonymous> (file.js:1:1)\n'.repeat(250_000));
    const drafts = parse([at('stderr', bytes, 1000)]);
    expect(drafts.length).toBeLessThan(200);
    expect(drafts.every((draft) => bytesOf(draft, bytes).at(-1) === 0x0a)).toBe(true);
    expect(JSON.stringify(drafts).length).toBeLessThan(bytes.length * 0.05);
  });

  test.each([
    ['text', `${'x'.repeat(1023)}é and more`, { text: 'x'.repeat(1023), truncated: true }],
    ['text of just the limit', 'x'.repeat(1024), { text: 'x'.repeat(1024) }],
    ['text that is not UTF-8', Buffer.alloc(1025, 0xe9), { text: '\ufffd'.repeat(1023), truncated: true }],
    ['output that says how it ended', `${'x'.repeat(2000)}\nAGENT_ENV_DONE {}\n`, { coalesced: true }],
  ])('shows the beginning of long %s', (_what, output, shown) => {
    const [draft] = parse([at('stdout', output, 1000)]);
    expect(rangeOf(draft!)).toMatchObject({ byte_from: 0, byte_to: Buffer.from(output as string).length });
    expect(draft!.data).toMatchObject(shown);
    expect('truncated' in draft!.data).toBe('truncated' in shown);
  });
});
