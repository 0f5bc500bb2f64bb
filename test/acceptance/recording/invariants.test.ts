import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextParser } from '../../../src/engines/text/parser.ts';
import type { ByteRange, OutputStream, RaspDraft, RaspEvent } from '../../../src/protocol/index.ts';
import { runFolderAt } from '../../../src/recording/index.ts';
import { replayAttempt } from '../../../src/runs/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sandbox } from '../../support/tacho.ts';

/** The output of a program: timed pieces of bytes on a stream. */
interface Piece {
  stream: 'stdout' | 'stderr';
  bytes: Uint8Array;
  time: number;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => Buffer.from(value)),
  fc.uint8Array({ maxLength: 60 }).map((value) => Buffer.from(value)),
  fc
    .array(fc.constantFrom('line\n', '\n', 'é中\n', 'no end', '\r\n'), { maxLength: 20 })
    .map((lines) => Buffer.from(lines.join(''))),
  fc.integer({ min: 1, max: 150_000 }).map((length) => Buffer.alloc(length, 'x')),
);
const printed = fc
  .array(
    fc.record({
      stream: fc.constantFrom('stdout' as const, 'stderr' as const),
      bytes: text,
      wait: fc.constantFrom(0, 0, 1, 20, 49, 50, 51, 700, 1100),
    }),
    { maxLength: 25 },
  )
  .map((pieces) => {
    let time = 1_700_000_000_000;
    return pieces.map(({ stream, bytes, wait }): Piece => {
      time += wait;
      return { stream, bytes, time };
    });
  });

describe('invariants of parsing, as property tests', () => {
  const runs = proofSize({ small: 150, full: 5000 });

  test('every byte of stdout and stderr belongs to exactly one unit, and every unit to at least one event', {
    timeout: 600_000,
  }, () => {
    fc.assert(
      fc.property(printed, (pieces) => {
        const ranges = parse(pieces).map(({ raw_ref }) => raw_ref as ByteRange);
        for (const stream of ['stdout', 'stderr'] as const) {
          const size = pieces
            .filter((piece) => piece.stream === stream)
            .reduce((sum, { bytes }) => sum + bytes.length, 0);
          const own = ranges
            .filter((range) => range.stream === stream)
            .sort((one, other) => one.byte_from - other.byte_from);
          let end = 0;
          for (const { byte_from, byte_to } of own) {
            expect(byte_from).toBe(end);
            expect(byte_to).toBeGreaterThan(byte_from);
            end = byte_to;
          }
          expect(end).toBe(size);
        }
      }),
      { numRuns: runs },
    );
  });

  test('parsing does not depend on chunk boundaries or on ticks in between', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(printed, fc.array(fc.nat(), { minLength: 1, maxLength: 50 }), (pieces, cuts) => {
        expect(parse(cutDifferently(pieces, cuts), cuts)).toEqual(parse(pieces));
      }),
      { numRuns: runs },
    );
  });

  test('reparsing the attempt files gives identical parser events', { timeout: 900_000 }, async () => {
    const steps = fc.array(
      fc.record({
        stream: fc.constantFrom(1, 2),
        text: fc.oneof(
          fc.string({ maxLength: 30 }),
          fc.constantFrom('a\nb\n', 'token s3cret-value-42 here\n', 'é', '\u001b[1m', 'x'.repeat(70_000)),
        ),
        wait: fc.constantFrom(0, 0, 0, 10, 60),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom('split', 'merged'), async (printedSteps, capture) => {
        const box = sandbox();
        const code = `const fs = require('fs'); for (const [fd, text, wait] of ${JSON.stringify(printedSteps.map(({ stream, text: value, wait }) => [stream, value, wait]))}) { for (let at = 0; at < Buffer.byteLength(text); ) at += fs.writeSync(fd, Buffer.from(text), at); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait); }`;
        const program = path.join(box.home, 'program.cjs');
        fs.writeFileSync(program, code);
        const answer = await box.jsonHere([
          'run',
          '--capture',
          capture,
          '--env',
          'MY_TOKEN=s3cret-value-42',
          '--',
          process.execPath,
          program,
        ]);
        expect(answer.exit_code).toBe(0);
        const live = box
          .events()
          .filter(({ source }) => source.parser === 'text')
          .map(asDraft);
        const replayed = [
          ...replayAttempt({
            folder: runFolderAt(path.join(box.home, 'runs', answer.run_id)),
            attempt: 1,
            engine: 'text',
            mode: capture as 'split' | 'merged',
            createParser: createTextParser,
            exit: { exit_code: 0, signal: null, time: 0 },
          }),
        ].flat();
        expect(replayed).toEqual(live);
        expect(fs.readFileSync(path.join(box.audit(), 'events.jsonl'), 'utf8')).not.toContain('s3cret-value-42');
        const meta = JSON.parse(fs.readFileSync(path.join(box.audit(), 'meta.1.json'), 'utf8'));
        expect(meta.parse.coverage).toBe(1);
      }),
      { numRuns: proofSize({ small: 6, full: 200 }) },
    );
  });
});

function parse(pieces: readonly Piece[], extraTicks: readonly number[] = []): RaspDraft[] {
  const parser = createTextParser({ attempt: 1, engine: 'text', origin: {} });
  const drafts: RaspDraft[] = [];
  let last = 0;
  pieces.forEach(({ stream, bytes, time }, index) => {
    // A clock that ticks between some reads.
    const between = last === 0 ? time : last + ((extraTicks[index % extraTicks.length] ?? 0) % (time - last + 1));
    if (extraTicks.length > 0) drafts.push(...parser.tick(between));
    drafts.push(...parser.tick(time), ...parser.push(stream as OutputStream, bytes, time));
    last = time;
  });
  drafts.push(...parser.end({ exit_code: 0, signal: null, time: last }));
  return drafts;
}

/** The same bytes at the same times, in different pieces. */
function cutDifferently(pieces: readonly Piece[], cuts: readonly number[]): Piece[] {
  return pieces.flatMap((piece, index) => {
    const at = cuts[index % cuts.length]! % (piece.bytes.length + 1);
    const later = at + ((cuts[(index + 1) % cuts.length]! % (piece.bytes.length - at + 1)) | 0);
    return [
      [0, at],
      [at, later],
      [later, piece.bytes.length],
    ]
      .filter(([from, to]) => to! > from!)
      .map(([from, to]) => ({ ...piece, bytes: piece.bytes.subarray(from, to) }));
  });
}

function asDraft(event: RaspEvent): RaspDraft {
  const { protocol_version: _version, run_id: _run, seq: _seq, chain: _chain, ...draft } = event;
  const { parent_seq: _parent, ...correlation } = draft.correlation;
  return { ...draft, correlation } as RaspDraft;
}
