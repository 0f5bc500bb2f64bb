import { type Contender, chooseFirst, fits, type Peek } from './choose-first.ts';
import type { ReportTraceDiagnostic } from './trace-diagnostic.ts';
import type { TraceCall } from './trace-reader.ts';
import type { TracedStream } from './traced-stream.ts';
import { requestedBytes } from './written-bytes.ts';

/** A write that has not got its place yet, and whose it is. */
interface WaitingWrite<Author> extends Contender {
  readonly stream: TracedStream;
  readonly author: Author;
}

export interface WriteOrderOptions<Author> {
  /** Without it, writes that were under way together are taken in the order in which they ended. */
  peek?: Peek | undefined;
  /** True while something else about a write is still open, so that it has to wait. */
  isHeld(author: Author): boolean;
  place(write: { call: TraceCall; stream: TracedStream; author: Author }, byteFrom: number, byteTo: number): void;
  report: ReportTraceDiagnostic;
}

// Writes that wait for bytes nobody records must not pile up.
const MOST_WAITING = 10_000;
// The largest write programs commonly make, in case the tracer missed one whose process was killed.
const WIDEST_GAP = 128 * 1024;
// After so many writes in a row that are not where they should be, as when the program has the terminal change its
// line ends, they are looked for only now and then.
const MOST_MISSES = 16;
const MISSES_PER_LOOK = 64;

/**
 * Puts the writes of two terminals into the order in which the kernel did them. The tracer sees a write start and end;
 * one that ended before another started came first. The kernel lets one write at a time into a terminal, so of those
 * under way together the one whose bytes stand next in the recording came first.
 */
export function createWriteOrder<Author>({ peek, isHeld, place, report }: WriteOrderOptions<Author>) {
  type Write = WaitingWrite<Author>;
  const offsets: Record<TracedStream, number> = { stdout: 0, stderr: 0 };
  /** In order of start. Nearly always empty or a handful; longer only while the recording lags behind the trace. */
  const queues: Record<TracedStream, Write[]> = { stdout: [], stderr: [] };
  /** Those of the waiting whose process was killed inside them. */
  let cut: Write[] = [];
  /** How many writes in a row the recorded bytes contradicted. */
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
    // What was cut before this one started cannot come after it: it wrote nothing.
    for (const past of cut.filter((other) => other.stream === stream && other.diedAt < write.start)) remove(past);
    if (count > 0) place(write, from, from + count);
  }

  function remove(write: Write): void {
    const queue = queues[write.stream];
    queue.splice(queue.indexOf(write), 1);
    if (write.isCut) cut = cut.filter((other) => other !== write);
  }

  /** Recorded bytes of a stream, counted from the first one nobody has accounted for. */
  const ahead = {
    stdout: (from: number, length: number) => peek?.('stdout', offsets.stdout + from, length) ?? null,
    stderr: (from: number, length: number) => peek?.('stderr', offsets.stderr + from, length) ?? null,
  };

  /** Places what can be placed by now. */
  function settle(): void {
    while (waitingCount() > 0) {
      const next = nextWrite() ?? (isFinal || waitingCount() > MOST_WAITING ? stuckWrite() : null);
      if (next === null) return;
      put(next);
    }
  }

  /** The next write that is certain; of the two streams, that of the one that ended first is tried first. */
  function nextWrite(): Write | null {
    const stdoutEnd = earliestEnd(queues.stdout)?.end ?? Number.POSITIVE_INFINITY;
    const stderrEnd = earliestEnd(queues.stderr)?.end ?? Number.POSITIVE_INFINITY;
    return stdoutEnd < stderrEnd ? (nextOf('stdout') ?? nextOf('stderr')) : (nextOf('stderr') ?? nextOf('stdout'));
  }

  function nextOf(stream: TracedStream): Write | null {
    const isLost = misses[stream] > MOST_MISSES;
    const first = chooseFirst(queues[stream], {
      peek: ahead[stream],
      isFinal: isFinal || isLost || peek === undefined,
      reach: isLost && misses[stream] % MISSES_PER_LOOK > 0 ? 0 : WIDEST_GAP,
    });
    return first && (isFinal || !isHeld(first.author)) && !isPreceded(first) ? first : null;
  }

  function stuckWrite(): Write | null {
    const ended = [earliestEnd(queues.stdout), earliestEnd(queues.stderr)].filter((write) => write !== null);
    const [stuck] = ended.sort((one, other) => one.end - other.end);
    if (stuck) stuck.isUncertain = true;
    return stuck ?? null;
  }

  /** True when one that still waits on the other stream had ended before this one started. */
  function isPreceded(write: Write): boolean {
    const other = earliestEnd(queues[write.stream === 'stdout' ? 'stderr' : 'stdout']);
    return other !== null && other.end < write.start;
  }

  /** What follows the last known byte belongs to those that were cut, one after the other. */
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
    /** It returned; `count` is 0 when nothing was written, null when its process was killed inside it. */
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

/** Of those in a queue, the one that ended first. Whatever starts after that end cannot have ended before it. */
function earliestEnd<Write extends Contender>(queue: Write[]): Write | null {
  let first: Write | null = null;
  for (const write of queue) {
    if (first && write.start > first.end) break;
    if (write.end < (first?.end ?? Number.POSITIVE_INFINITY)) first = write;
  }
  return first;
}
