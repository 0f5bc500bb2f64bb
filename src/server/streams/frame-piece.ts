import type { JournalLine } from '../../journal/index.ts';
import { DELTA_TYPES, type EventSource } from './event-source.ts';
import { type FrameBuffers, PIECE_BYTES } from './frame-buffers.ts';
import { framesIn, longestEnvelope, writeFrame } from './frames.ts';

/**
 * Converts events to frames, in pieces; the stored bytes are copied without parsing. Each piece has one use, the
 * caller's.
 */
export function framePieces(lines: readonly JournalLine[], source: EventSource, buffers: FrameBuffers): FramePiece[] {
  const pieces: FramePiece[] = [];
  const envelope = longestEnvelope(source.kind);
  for (let from = 0; from < lines.length; ) {
    let to = from;
    let size = 0;
    do size += envelope + lines[to++]!.bytes.length;
    while (to < lines.length && size + envelope + lines[to]!.bytes.length <= PIECE_BYTES);
    const memory = buffers.take(size);
    let length = 0;
    for (let index = from; index < to; index++) length = writeFrame(memory, length, lines[index]!, source.kind);
    const [firstSeq, lastSeq] = [lines[from]!.seq, lines[to - 1]!.seq];
    const terminal = source.isTerminal(lines[to - 1]!);
    pieces.push(new FramePiece({ firstSeq, lastSeq, terminal, memory, length, events: to - from, source, buffers }));
    from = to;
  }
  return pieces;
}

interface FramePieceParts {
  firstSeq: number;
  lastSeq: number;
  /** Its last event ends the run. */
  terminal: boolean;
  memory: Buffer;
  /** Bytes of all frames. */
  length: number;
  events: number;
  source: EventSource;
  buffers: FrameBuffers;
}

/**
 * Some events as frames, built once for all readers. A user that needs it after the current call takes `hold`, and
 * `release` when done; after the last release its memory is reused.
 */
export class FramePiece {
  readonly #parts: FramePieceParts;
  #uses = 1;
  #withoutDeltas: FramePiece | null = null;

  constructor(parts: FramePieceParts) {
    this.#parts = parts;
  }

  get firstSeq(): number {
    return this.#parts.firstSeq;
  }

  get lastSeq(): number {
    return this.#parts.lastSeq;
  }

  get terminal(): boolean {
    return this.#parts.terminal;
  }

  /** Memory that it occupies. */
  get memoryBytes(): number {
    return this.#parts.memory.length;
  }

  /** The frames of the events after `seq`, ready to send. */
  after(seq: number): { bytes: Buffer; events: number } {
    const bytes = this.#parts.memory.subarray(0, this.#parts.length);
    let { events } = this.#parts;
    if (seq < this.firstSeq) return { bytes, events };
    // Readers stop between pieces; only one that has read ahead on its own has part of one.
    for (const frame of framesIn(bytes, this.#parts.source.kind)) {
      if (frame.seq > seq) return { bytes: bytes.subarray(frame.from), events };
      events--;
    }
    return { bytes: bytes.subarray(bytes.length), events };
  }

  /** The same without deltas; created on first use, and released with this piece. */
  withoutDeltas(): FramePiece {
    this.#withoutDeltas ??= this.#removeDeltas();
    return this.#withoutDeltas;
  }

  hold(): this {
    if (this.#uses === 0) throw new Error('frames were held after they were given back');
    this.#uses++;
    return this;
  }

  release(): void {
    if (this.#uses === 0) throw new Error('frames were given back twice');
    this.#uses--;
    if (this.#uses > 0) return;
    if (this.#withoutDeltas !== this) this.#withoutDeltas?.release();
    this.#parts.buffers.giveBack(this.#parts.memory);
  }

  #removeDeltas(): FramePiece {
    const { source, buffers, memory } = this.#parts;
    const { bytes } = this.after(0);
    const frames = [...framesIn(bytes, source.kind)];
    const wanted = frames.filter(
      ({ seq, dataFrom, dataTo }) => !DELTA_TYPES.has(source.typeOf({ seq, bytes: bytes.subarray(dataFrom, dataTo) })),
    );
    if (wanted.length === frames.length) return this;
    const rest = buffers.take(bytes.length);
    let length = 0;
    for (const { from, to } of wanted) length += memory.copy(rest, length, from, to);
    return new FramePiece({ ...this.#parts, memory: rest, length, events: wanted.length });
  }
}
