import type { DescriptorTable, OpenFile } from './descriptor-table.ts';
import { guessStreams } from './guess-streams.ts';
import type { ReportTraceDiagnostic } from './trace-diagnostic.ts';
import type { TracedStream } from './traced-stream.ts';

/** One write to the terminal, with the stream it belongs to. */
export interface ReconstructedWrite {
  stream: TracedStream;
  time: number | null;
  pid: number;
  fd: number;
  /** The bytes that the trace shows; `missing` more were written. */
  bytes: Buffer;
  missing: number;
}

/** What was known about a write's descriptor when it started. */
export interface WriteOrigin {
  /** Null if the origin of the descriptor is unknown. */
  stream: TracedStream | null;
  file: OpenFile;
  /** The descriptors of its process. */
  table: DescriptorTable;
}

interface HeldWrite extends WriteOrigin {
  write: Omit<ReconstructedWrite, 'stream'>;
}

// Writes wait for a guess until this many bytes are available.
const MAX_HELD_BYTES = 1024 * 1024;
// Approximate cost of an entry besides its bytes; a trace may show none of them.
const HELD_WRITE_BYTES = 100;

/**
 * Passes writes on with their stream, in order. From the first one with an unknown stream on, they are held back until
 * enough was written for a guess, or nothing more follows.
 */
export function createWriteSorter({
  emit,
  report,
}: {
  emit(write: ReconstructedWrite): void;
  report: ReportTraceDiagnostic;
}) {
  /** The streams that each process is known to write to. */
  const streamsOf = new WeakMap<DescriptorTable, Set<TracedStream>>();
  let held: HeldWrite[] = [];
  let heldBytes = 0;

  function note(table: DescriptorTable, stream: TracedStream): void {
    streamsOf.set(table, (streamsOf.get(table) ?? new Set()).add(stream));
  }

  function release(): void {
    const unknown = held.filter((entry) => entry.stream === null && entry.file.stream === null);
    for (const table of new Set(unknown.map((entry) => entry.table))) guess(table, unknown);
    for (const { write, stream, file } of held) emit({ ...write, stream: stream ?? file.stream ?? 'stdout' });
    held = [];
    heldBytes = 0;
  }

  function guess(table: DescriptorTable, unknown: HeldWrite[]): void {
    const own = unknown.filter((entry) => entry.table === table && entry.file.stream === null);
    const files = [...new Set(own.map((entry) => entry.file))];
    const writes = files.map((file) => own.filter((entry) => entry.file === file).map((entry) => entry.write));
    const texts = writes.map((list) => Buffer.concat(list.map(({ bytes }) => bytes)).toString());
    for (const [index, { stream, because }] of guessStreams(texts, streamsOf.get(table) ?? new Set()).entries()) {
      const [{ fd, pid }] = writes[index] as [HeldWrite['write']];
      (files[index] as OpenFile).stream = stream;
      note(table, stream);
      report('STREAM_GUESSED', `Descriptor ${fd} of process ${pid} is taken for ${stream}: ${because}.`);
    }
  }

  return {
    add(write: HeldWrite['write'], { stream, file, table }: WriteOrigin): void {
      const known = stream ?? file.stream;
      if (known) note(table, known);
      if (known && held.length === 0) {
        emit({ ...write, stream: known });
        return;
      }
      held.push({ write, stream: known, file, table });
      heldBytes += write.bytes.length + HELD_WRITE_BYTES;
      if (heldBytes > MAX_HELD_BYTES) release();
    },
    end: release,
  };
}
