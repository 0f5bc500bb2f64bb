import type { JournalLine } from '../../journal/index.ts';
import { DELTA_TYPES, type EventSource } from './event-source.ts';
import { type Frames, framePieces } from './frames.ts';

/** Some events, made into frames once for all readers that want the same of them. */
export class LiveBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Of the events alone. */
  readonly bytes: number;
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
    this.bytes = lines.reduce((sum, line) => sum + line.bytes.length, 0);
    this.terminal = source.isTerminal(lines.at(-1)!);
  }

  framesAfter(seq: number, deltas: boolean): readonly Frames[] {
    const frames = this.#shared.get(deltas) ?? this.#frames(this.#lines, deltas);
    this.#shared.set(deltas, frames);
    if (seq < this.firstSeq) return frames;
    // Readers stop between pieces; only one that has read ahead by itself knows a part of one.
    const next = frames.findIndex(({ lastSeq }) => lastSeq > seq);
    if (next < 0) return [];
    if (next > 0 && frames[next - 1]!.lastSeq === seq) return frames.slice(next);
    const unknown = this.#lines.slice(seq - this.firstSeq + 1, frames[next]!.lastSeq - this.firstSeq + 1);
    return [...this.#frames(unknown, deltas), ...frames.slice(next + 1)];
  }

  #frames(lines: readonly JournalLine[], deltas: boolean): Frames[] {
    return [...framePieces(deltas ? lines : withoutDeltas(lines, this.#source), this.#source.kind)];
  }
}

export function withoutDeltas(lines: readonly JournalLine[], source: EventSource): JournalLine[] {
  return lines.filter((line) => !DELTA_TYPES.has(source.typeOf(line)));
}
