import { type Contender, chooseFirst, fits, type Peek } from './choose-first.ts';
import type { ReportTraceDiagnostic } from './trace-diagnostic.ts';
import type { TraceCall } from './trace-reader.ts';
import type { TracedStream } from './traced-stream.ts';
import { requestedBytes } from './written-bytes.ts';

/** A write without a position yet, and its author. */
interface WaitingWrite<Author> extends Contender {
  readonly stream: TracedStream;
  readonly author: Author;
}

export interface WriteOrderOptions<Author> {
  /** Without it, concurrent writes are ordered by their ends. */
  peek?: Peek | undefined;
  /** True while other facts about a write are unknown, so that it has to wait. */
  isHeld(author: Author): boolean;
  place(write: { call: TraceCall; stream: TracedStream; author: Author }, byteFrom: number, byteTo: number): void;
  report: ReportTraceDiagnostic;
}

// Writes that wait for bytes that are never recorded must not pile up.
const MAX_WAITING = 10_000;
// The largest write that programs commonly make, in case the tracer missed one whose process was killed.
const MAX_GAP = 128 * 1024;
// After this many consecutive misplaced writes, for example because the terminal changes line ends, they are searched
// only occasionally.
const MAX_MISSES = 16;
const MISSES_PER_SEARCH = 64;

/**
 * Puts the writes of two terminals into the order in which the kernel executed them. The tracer sees a write start and
 * end; a write that ended before another started came first. The kernel allows one write at a time to a terminal, so of
 * concurrent writes the one whose bytes come next in the recording came first.
 */
export function createWriteOrder<Author>({ peek, isHeld, place, report }: WriteOrderOptions<Author>) {
  type Write = WaitingWrite<Author>;
  const offsets: Record<TracedStream, number> = { stdout: 0, stderr: 0 };
  /** In order of start. Nearly always empty or short; longer only while the recording is behind the trace. */
  const queues: Record<TracedStream, Write[]> = { stdout: [], stderr: [] };
  /** Pending writes whose process was killed in them. */
  let cut: Write[] = [];
  /** Number of consecutive writes that the recorded bytes contradicted. */
  const misses: Record<TracedStream, number> = { stdout: 0, stderr: 0 };
  let clock = 0;
  let isFinal = false;

  function waitingCount(): number {
    return queues.stdout.length + queues.stderr.length;
  }

  function put(write: Write): void {
    const { stream, count } = write;
    const from = offsets[stream] + write.gap;
    const where = () => `Process ${write.call.pid}, ${stream} at byte ${from}`;
    if (write.gap > 0) report('BYTES_UNTRACED', `${where()}, ${write.gap} bytes.`);
    if (write.isUncertain) report('PLACE_UNCERTAIN', `${where()}.`);
    if (write.isCut && count > 0) report('WRITE_CUT_BY_DEATH', `${where()}, ${count} bytes.`);
    misses[stream] = write.isUncertain ? misses[stream] + 1 : 0;
    offsets[stream] = from + count;
    remove(write);
    // A write that was cut before this one started cannot come after it: it wrote nothing.
    for (const past of cut.filter((other) => other.stream === stream && other.diedAt < write.start)) remove(past);
    if (count > 0) place(write, from, from + count);
  }

  function remove(write: Write): void {
    const queue = queues[write.stream];
    queue.splice(queue.indexOf(write), 1);
    if (write.isCut) cut = cut.filter((other) => other !== write);
  }

  /** Recorded bytes of a stream, relative to the first one without a known writer. */
  const ahead = {
    stdout: (from: number, length: number) => peek?.('stdout', offsets.stdout + from, length) ?? null,
    stderr: (from: number, length: number) => peek?.('stderr', offsets.stderr + from, length) ?? null,
  };

  /** Assigns all positions that are certain by now. */
  function settle(): void {
    while (waitingCount() > 0) {
      const next = nextWrite() ?? (isFinal || waitingCount() > MAX_WAITING ? stuckWrite() : null);
      if (next === null) return;
      put(next);
    }
  }

  /** The next write that is certain; the stream whose write ended first is tried first. */
  function nextWrite(): Write | null {
    const stdoutEnd = earliestEnd(queues.stdout)?.end ?? Number.POSITIVE_INFINITY;
    const stderrEnd = earliestEnd(queues.stderr)?.end ?? Number.POSITIVE_INFINITY;
    return stdoutEnd < stderrEnd ? (nextOf('stdout') ?? nextOf('stderr')) : (nextOf('stderr') ?? nextOf('stdout'));
  }

  function nextOf(stream: TracedStream): Write | null {
    const isLost = misses[stream] > MAX_MISSES;
    const first = chooseFirst(queues[stream], {
      peek: ahead[stream],
      isFinal: isFinal || isLost || peek === undefined,
      reach: isLost && misses[stream] % MISSES_PER_SEARCH > 0 ? 0 : MAX_GAP,
    });
    return first && (isFinal || !isHeld(first.author)) && !isPreceded(first) ? first : null;
  }

  function stuckWrite(): Write | null {
    const ended = [earliestEnd(queues.stdout), earliestEnd(queues.stderr)].filter((write) => write !== null);
    const [stuck] = ended.sort((one, other) => one.end - other.end);
    if (stuck) stuck.isUncertain = true;
    return stuck ?? null;
  }

  /** True if a pending write on the other stream had ended before this one started. */
  function isPreceded(write: Write): boolean {
    const other = earliestEnd(queues[write.stream === 'stdout' ? 'stderr' : 'stdout']);
    return other !== null && other.end < write.start;
  }

  /** The bytes after the last known one belong to the cut writes, one after the other. */
  function placeCut(): void {
    while (cut.length > 0) {
      const fitting = cut.find((write) => fits(write, 0, { peek: ahead[write.stream] }) !== 'no');
      const write = fitting ?? (cut[0] as Write);
      const rest = fitting && peek?.(write.stream, offsets[write.stream], requestedBytes(write.call));
      write.count = rest?.length ?? 0;
      put(write);
    }
  }

  return {
    begin(call: TraceCall, stream: TracedStream, author: Author): Write {
      const write: Write = {
        call,
        stream,
        author,
        start: clock++,
        end: Number.POSITIVE_INFINITY,
        count: 0,
        isCut: false,
        diedAt: Number.POSITIVE_INFINITY,
        gap: 0,
        isUncertain: false,
        sample: null,
      };
      queues[stream].push(write);
      return write;
    },
    /** The write returned; `count` is 0 if nothing was written, null if its process was killed in it. */
    finish(write: Write, count: number | null): void {
      if (count === null) {
        write.isCut = true;
        write.diedAt = clock++;
        cut.push(write);
      } else if (count === 0) {
        remove(write);
      } else {
        write.end = clock++;
        write.count = count;
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

/** The write in a queue that ended first. A write that starts after that end cannot have ended before it. */
function earliestEnd<Write extends Contender>(queue: Write[]): Write | null {
  let first: Write | null = null;
  for (const write of queue) {
    if (first && write.start > first.end) break;
    if (write.end < (first?.end ?? Number.POSITIVE_INFINITY)) first = write;
  }
  return first;
}
