import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventSource } from '../../src/server/streams/event-source.ts';
import { FrameBuffers, PIECE_BYTES } from '../../src/server/streams/frame-buffers.ts';
import { FramePages } from '../../src/server/streams/frame-pages.ts';
import { type FramePiece, framePieces } from '../../src/server/streams/frame-piece.ts';
import { NumberedLines } from '../../src/server/streams/numbered-lines.ts';
import { proofSize } from '../support/proof-size.ts';
import { temporaryFolder } from '../support/tacho.ts';

interface Made {
  type: string;
  text: string;
}

const MESSAGE = 'agent.message.final';
const DELTA = 'agent.message.delta';

/** Events of a file; line N is event N. */
function sourceOf(file: string): EventSource {
  const lines = new NumberedLines(file);
  const typeOf = ({ bytes }: { bytes: Buffer }) => (JSON.parse(bytes.toString()) as Made).type;
  return {
    kind: 'run_event',
    caughtUp: async () => {},
    head: () => Promise.reject(new Error('nobody asks')),
    read: (afterSeq, options) => lines.read(afterSeq, options),
    tail: (afterSeq, options) => lines.tail(afterSeq, options),
    typeOf,
    isTerminal: (line) => typeOf(line) === 'end',
    close: async () => {},
  };
}

const noFile = sourceOf('/nowhere');
const lineOf = (made: Made) => JSON.stringify(made);
const linesOf = (made: readonly Made[], firstSeq = 1) =>
  made.map((one, index) => ({ seq: firstSeq + index, bytes: Buffer.from(lineOf(one)) }));
const frameOf = (made: Made, seq: number) => `id: ${seq}\nevent: run_event\ndata: ${lineOf(made)}\n\n`;
const message = (text: string): Made => ({ type: MESSAGE, text });
const delta = (text: string): Made => ({ type: DELTA, text });
const textOf = (piece: FramePiece, seq: number) => piece.after(seq).bytes.toString();

describe('a piece of frames', () => {
  const made = [delta('ü'), message('𝄞'), delta('c'), delta('d'), message('e'), { type: 'end', text: '' }];
  const frames = made.map((one, index) => frameOf(one, 98 + index));

  test('has the same bytes for every reader, and is cut for a reader that already has a part', () => {
    const [piece, ...others] = framePieces(linesOf(made, 98), noFile, new FrameBuffers());
    expect(others).toEqual([]);
    expect(piece).toMatchObject({ firstSeq: 98, lastSeq: 103, terminal: true });
    expect(piece!.after(0).bytes.buffer).toBe(piece!.after(97).bytes.buffer);
    for (let known = 90; known <= 104; known++) {
      const wanted = frames.slice(Math.max(0, known - 97));
      expect(piece!.after(known).events).toBe(wanted.length);
      expect(textOf(piece!, known)).toBe(wanted.join(''));
    }
  });

  test('leaves deltas out on request, in a copy made once and only if there are deltas', () => {
    const buffers = new FrameBuffers();
    const [piece] = framePieces(linesOf(made, 98), noFile, buffers);
    const rest = piece!.withoutDeltas();
    expect(piece!.withoutDeltas()).toBe(rest);
    expect(rest).toMatchObject({ firstSeq: 98, lastSeq: 103, terminal: true });
    for (let known = 90; known <= 104; known++) {
      const wanted = [99, 102, 103].filter((seq) => seq > known).map((seq) => frames[seq - 98]);
      expect(rest.after(known).events).toBe(wanted.length);
      expect(textOf(rest, known)).toBe(wanted.join(''));
    }
    expect(textOf(piece!, 0)).toBe(frames.join(''));
    const [plain] = framePieces(linesOf([message('a')]), noFile, buffers);
    expect(plain!.withoutDeltas()).toBe(plain);
    plain!.release();
    const [only] = framePieces(linesOf([delta('a')]), noFile, buffers);
    expect(only!.withoutDeltas().after(0)).toMatchObject({ bytes: Buffer.alloc(0), events: 0 });
  });

  test('has a limited size, unless a single event is larger', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(2000), fc.nat(3 * PIECE_BYTES)), { minLength: 1 }), (sizes) => {
        const sized = sizes.map((size) => message('x'.repeat(size)));
        const pieces = framePieces(linesOf(sized), noFile, new FrameBuffers());
        expect(pieces.map((piece) => textOf(piece, 0)).join('')).toBe(
          sized.map((one, index) => frameOf(one, index + 1)).join(''),
        );
        for (const piece of pieces) {
          const { bytes, events } = piece.after(0);
          expect(events).toBe(piece.lastSeq - piece.firstSeq + 1);
          if (events > 1) expect(bytes.length).toBeLessThanOrEqual(PIECE_BYTES);
        }
      }),
      { numRuns: proofSize({ small: 5, full: 30 }) },
    );
  });
});

describe('frame buffers', () => {
  test('are reused after the last release, and not before', () => {
    const buffers = new FrameBuffers();
    const [first] = framePieces(linesOf([delta('a'), message('b')]), noFile, buffers);
    const rest = first!.withoutDeltas().hold();
    first!.hold();
    first!.release();
    expect(buffers.free).toBe(0);
    const [other] = framePieces(linesOf([message('other')]), noFile, buffers);
    expect(textOf(first!, 0)).toBe(frameOf(delta('a'), 1) + frameOf(message('b'), 2));
    first!.release();
    // A reader is still being sent the frames without deltas.
    expect(buffers.free).toBe(1);
    expect(textOf(rest, 0)).toBe(frameOf(message('b'), 2));
    rest.release();
    expect(buffers.free).toBe(2);
    other!.release();
    expect(buffers.free).toBe(3);
    expect(() => other!.release()).toThrow('twice');
    expect(() => other!.hold()).toThrow('after they were given back');
    framePieces(linesOf([message('new')]), noFile, buffers);
    expect(buffers.free).toBe(2);
  });

  test('are kept up to a limit, and only those of the usual size', () => {
    const buffers = new FrameBuffers();
    const taken = Array.from({ length: 500 }, () => buffers.take(1));
    for (const buffer of taken) buffers.giveBack(buffer);
    expect(buffers.free).toBeLessThan(100);
    expect(buffers.free * PIECE_BYTES).toBeLessThan(8e6);
    const { free } = buffers;
    const large = buffers.take(PIECE_BYTES + 1);
    expect(large.length).toBe(PIECE_BYTES + 1);
    buffers.giveBack(large);
    expect(buffers.free).toBe(free);
  });
});

test('readers of any speed get exactly their frames while buffers are reused', async () => {
  const file = path.join(temporaryFolder(), 'lines.jsonl');
  const event = fc.record({
    type: fc.constantFrom(MESSAGE, DELTA),
    text: fc.oneof({ weight: 20, arbitrary: fc.nat(1500) }, { weight: 1, arbitrary: fc.nat(150_000) }),
  });
  const reader = fc.record({
    from: fc.nat(2000),
    deltas: fc.boolean(),
    // How many event loop turns pass before its data is sent.
    slowness: fc.nat(40),
    // Disconnects after this number of pieces.
    maxPieces: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(50)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 20, maxLength: 60 }),
      fc.array(reader, { minLength: 2, maxLength: 16 }),
      async (kinds, readers) => {
        const made = Array.from({ length: 3000 }, (_, index): Made => {
          const { type, text } = kinds[index % kinds.length]!;
          return { type, text: String.fromCharCode(97 + (index % 26)).repeat(text) };
        });
        fs.writeFileSync(file, made.map((one) => `${lineOf(one)}\n`).join(''));
        const buffers = new FrameBuffers();
        const pages = new FramePages(sourceOf(file), buffers);
        await Promise.all(
          readers.map(async ({ from, deltas, slowness, maxPieces }) => {
            let seq = from;
            let pieces = 0;
            for (let piece = await pages.after(seq); piece !== null; piece = await pages.after(seq)) {
              const sent = (deltas ? piece : piece.withoutDeltas()).hold();
              const { bytes, events } = sent.after(seq);
              const { lastSeq } = piece;
              piece.release();
              for (let turn = Math.random() * slowness; turn > 0; turn--) await new Promise(setImmediate);
              const wanted = made
                .slice(seq, lastSeq)
                .map((one, index) => (deltas || one.type !== DELTA ? frameOf(one, seq + index + 1) : ''))
                .filter((frame) => frame !== '');
              // Not with `expect`: it would print a diff of megabytes.
              if (!bytes.equals(Buffer.from(wanted.join('')))) throw new Error(`other bytes after event ${seq}`);
              expect(events).toBe(wanted.length);
              sent.release();
              seq = lastSeq;
              if (++pieces > maxPieces) return;
            }
            expect(seq).toBe(made.length);
          }),
        );
        pages.close();
        expect(buffers.free).toBeGreaterThan(0);
      },
    ),
    { numRuns: proofSize({ small: 4, full: 12 }), endOnFailure: true },
  );
});
