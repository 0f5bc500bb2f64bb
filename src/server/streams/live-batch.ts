import type { JournalLine } from '../../journal/index.ts';
import { DELTA_TYPES, type EventSource } from './event-source.ts';
import { type Frames, framePieces } from './frames.ts';

/** Events that have just come, made into frames once for all readers that want the same of them. */
export class LiveBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The run ends with them. */
  readonly terminal: boolean;
  readonly #lines: readonly JournalLine[];
  readonly #source: EventSource;
  readonly #shared = new Map<boolean, Frames[]>();

  constructor(lines: readonly JournalLine[], source: EventSource) {
    this.#lines = lines;
    this.#source = source;
    this.firstSeq = lines[0]!.seq;
    this.lastSeq = lines.at(-1)!.seq;
    this.terminal = source.isTerminal(lines.at(-1)!);
  }

  framesAfter(seq: number, deltas: boolean): readonly Frames[] {
    // One that has read ahead by itself knows some of them already.
    if (seq >= this.firstSeq) return this.#frames(this.#lines.slice(seq - this.firstSeq + 1), deltas);
    const frames = this.#shared.get(deltas) ?? this.#frames(this.#lines, deltas);
    this.#shared.set(deltas, frames);
    return frames;
  }

  #frames(lines: readonly JournalLine[], deltas: boolean): Frames[] {
    return [...framePieces(deltas ? lines : withoutDeltas(lines, this.#source), this.#source.kind)];
  }
}

export function withoutDeltas(lines: readonly JournalLine[], source: EventSource): JournalLine[] {
  return lines.filter((line) => !DELTA_TYPES.has(source.typeOf(line)));
}
