import type { ByteRange, RawStream } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel } from '../../../src/record/index.ts';
import type { Selection } from '../selection.ts';
import type { Coverage } from './coverage.ts';
import { rangesOf, type StreamName, streamOf } from './raw-ranges.ts';

/** What the raw pane shows. */
export interface RawTarget {
  name: StreamName;
  /** All highlighted ranges; `current` is one of them, or null if there is none. */
  ranges: readonly ByteRange[];
  current: ByteRange | null;
  /** The event of these bytes, which may have none. */
  seq: number | null;
}

/** `index` chooses among several ranges of an event. */
export function rawTarget(
  model: RunModel,
  coverage: Coverage,
  { selection, attempt, index }: { selection: Selection | null; attempt: number | null; index: number },
): RawTarget {
  if (selection?.kind === 'bytes') {
    const { range } = selection;
    return { name: streamOf(range), ranges: [range], current: range, seq: null };
  }
  const seq = seqOf(model, selection);
  const event = seq === null ? undefined : eventAt(model, seq);
  const ranges = event ? rangesOf(event.raw_ref) : [];
  const current = ranges[Math.min(index, ranges.length - 1)];
  if (current) return { name: streamOf(current), ranges, current, seq };
  const looked = event?.attempt_number ?? attempt ?? model.attempts.at(-1)?.number ?? 1;
  return { name: usualStream(coverage, looked), ranges: [], current: null, seq: event ? seq : null };
}

function seqOf(model: RunModel, selection: Selection | null): number | null {
  if (selection?.kind === 'event') return selection.seq;
  return selection?.kind === 'approval' ? (model.approvals.get(selection.id)?.requestedSeq ?? null) : null;
}

/** The stream with output; if everything is in one log, the merged one. */
function usualStream(coverage: Coverage, attempt: number): StreamName {
  const streams: readonly RawStream[] = ['stdout', 'pty', 'stderr'];
  const stream = streams.find((name) => coverage.has({ stream: name, attempt })) ?? 'stdout';
  return { stream, attempt };
}
