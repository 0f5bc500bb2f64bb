import { type Contender, chooseFirst, gapBefore, type Peek, sampleOf } from './choose-first.ts';
import type { ReportTraceDiagnostic } from './trace-diagnostic.ts';
import type { TracedStream } from './traced-stream.ts';
import { requestedBytes } from './written-bytes.ts';

/** A write that has not got its place yet. */
export interface WaitingWrite extends Contender {
  readonly stream: TracedStream;
  /** True while something else about it is still open, so that it has to wait. */
  isHeld(): boolean;
}

export interface WriteOrderOptions<Write extends WaitingWrite> {
  /** Without it, writes that were under way together are taken in the order in which they ended. */
  peek?: Peek | undefined;
  place(write: Write, byteFrom: number, byteTo: number): void;
  report: ReportTraceDiagnostic;
}

// Writes that wait for bytes nobody records must not pile up.
const MOST_WAITING = 1_000;
const STREAMS: readonly TracedStream[] = ['stdout', 'stderr'];

/**
 * Puts the writes of two terminals into the order in which the kernel did them. The tracer sees a write start and end;
 * one that ended before another started came first. The kernel lets one write at a time into a terminal, so of those
 * under way together the one whose bytes stand next in the recording came first.
 */
export function createWriteOrder<Write extends WaitingWrite>({ peek, place, report }: WriteOrderOptions<Write>) {
  const offsets: Record<TracedStream, number> = { stdout: 0, stderr: 0 };
  /** In order of start. Nearly always empty or a handful. */
  const waiting: Write[] = [];
  let clock = 0;
  let isFinal = false;

  function put(write: Write): void {
    const { stream, count } = write;
    const from = offsets[stream] + (write.isCut ? 0 : untracedBefore(write));
    offsets[stream] = from + count;
    remove(write);
    if (write.isCut) report('WRITE_CUT_BY_DEATH', `Process ${write.call.pid}, ${stream}: ${count} bytes.`);
    // What was cut before this one started cannot come after it: it wrote nothing.
    for (const cut of waiting.filter((other) => other.stream === stream && other.diedAt < write.start)) remove(cut);
    if (count > 0) place(write, from, from + count);
  }

  /** Bytes that stand before the write's own and that no write accounts for, such as echoed input. */
  function untracedBefore(write: Write): number {
    const gap = peek ? gapBefore(write, { peek: peekFrom(write.stream) }) : 0;
    if (gap) report('BYTES_UNTRACED', `${gap} bytes of ${write.stream} at byte ${offsets[write.stream]}.`);
    return gap ?? 0;
  }

  function peekFrom(stream: TracedStream) {
    return (from: number, length: number) => peek?.(stream, offsets[stream] + from, length) ?? null;
  }

  function remove(write: Write): void {
    waiting.splice(waiting.indexOf(write), 1);
  }

  /** Places what can be placed by now. */
  function settle(): void {
    if (waiting.length === 0) return;
    for (let next = nextWrite(); next !== null; next = nextWrite()) put(next);
  }

  function nextWrite(): Write | null {
    const firstEnded = STREAMS.flatMap((stream) => earliestEnd(waiting.filter((write) => write.stream === stream)));
    for (const { stream } of firstEnded.sort((one, other) => one.end - other.end)) {
      const first = firstOfStream(stream);
      if (first && (isFinal || !first.isHeld()) && !isPreceded(first)) return first;
    }
    if (!isFinal && waiting.length <= MOST_WAITING) return null;
    const [stuck] = earliestEnd(waiting);
    if (stuck) reportUndecided(stuck);
    return stuck ?? null;
  }

  function firstOfStream(stream: TracedStream): Write | null {
    const own = waiting.filter((write) => write.stream === stream);
    if (own.length === 1) return own[0] as Write;
    return chooseFirst(own, {
      peek: peekFrom(stream),
      isFinal: isFinal || peek === undefined,
      undecided: reportUndecided,
    });
  }

  function reportUndecided({ call, stream }: Write): void {
    report('ORDER_UNDECIDED', `Process ${call.pid}, ${stream} at byte ${offsets[stream]}.`);
  }

  /** True when another one that still waits, on whichever stream, had ended before this one started. */
  function isPreceded(write: Write): boolean {
    return waiting.some((other) => other.end < write.start);
  }

  /** A process was killed inside these: what follows the last known byte is theirs. */
  function placeCut(): void {
    for (const write of waiting.filter(({ isCut }) => isCut)) {
      const found = peek?.(write.stream, offsets[write.stream], requestedBytes(write.call));
      const isOwn = found?.length && found[0] === (sampleOf(write)[0] ?? found[0]);
      write.count = isOwn ? found.length : 0;
      put(write);
    }
  }

  return {
    begin(write: Write): void {
      write.start = clock++;
      waiting.push(write);
    },
    /** It returned; `count` is 0 when nothing was written, null when its process was killed inside it. */
    finish(write: Write, count: number | null): void {
      if (count === null) {
        write.isCut = true;
        write.diedAt = clock++;
      } else if (count === 0) {
        remove(write);
      } else {
        write.end = clock++;
        write.count = count;
        if (waiting.length === 1 && !write.isHeld()) put(write);
      }
      settle();
    },
    settle,
    /** Nothing more will be traced or recorded. */
    end(): void {
      isFinal = true;
      settle();
      placeCut();
    },
  };
}

function earliestEnd<Write extends WaitingWrite>(writes: Write[]): Write[] {
  const ended = writes.filter((write) => write.end < Number.POSITIVE_INFINITY);
  if (ended.length === 0) return [];
  return [ended.reduce((first, write) => (write.end < first.end ? write : first))];
}
