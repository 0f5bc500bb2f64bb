import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createStreamReconstructor, type ReconstructedWrite } from './stream-reconstructor.ts';
import type { TraceDiagnostic } from './trace-diagnostic.ts';
import type { TracedStream } from './traced-stream.ts';

/** A path, raw bytes cut anywhere, or whole lines. */
export type TraceSource = string | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** One write, and where its bytes stand in the reconstructed stream. */
export interface StreamChunk {
  time: number | null;
  pid: number;
  fd: number;
  byte_from: number;
  byte_to: number;
  /** Bytes the program wrote here that the trace does not show. */
  missing: number;
}

export type StreamChunkWithBytes = StreamChunk & { bytes: Buffer };

export interface Reconstruction<Chunk extends StreamChunk = StreamChunkWithBytes> {
  stdoutChunks: Chunk[];
  stderrChunks: Chunk[];
  writes: number;
  /** What the tracer did not show: bytes beyond its string limit, or moved inside the kernel. */
  truncated: { writes: number; bytes: number };
  diagnostics: TraceDiagnostic[];
}

/** Takes a trace recorded on one terminal apart into stdout and stderr; with two paths, into files. */
export function reconstructStreams(trace: TraceSource): Promise<Reconstruction>;
export function reconstructStreams(
  trace: TraceSource,
  stdoutPath: string,
  stderrPath: string,
): Promise<Reconstruction<StreamChunk>>;
export async function reconstructStreams(
  trace: TraceSource,
  stdoutPath?: string,
  stderrPath?: string,
): Promise<Reconstruction<StreamChunk>> {
  const files: Record<TracedStream, WriteStream> | null =
    stdoutPath !== undefined && stderrPath !== undefined
      ? {
          stdout: createWriteStream(stdoutPath, { mode: 0o600 }),
          stderr: createWriteStream(stderrPath, { mode: 0o600 }),
        }
      : null;
  const chunks: Record<TracedStream, StreamChunk[]> = { stdout: [], stderr: [] };
  const lengths: Record<TracedStream, number> = { stdout: 0, stderr: 0 };
  const truncated = { writes: 0, bytes: 0 };

  const reconstructor = createStreamReconstructor(({ stream, bytes, missing, time, pid, fd }: ReconstructedWrite) => {
    const byte_from = lengths[stream];
    lengths[stream] += bytes.length;
    const chunk = { time, pid, fd, byte_from, byte_to: lengths[stream], missing };
    chunks[stream].push(files ? chunk : Object.assign(chunk, { bytes }));
    files?.[stream].write(bytes);
    if (missing > 0) {
      truncated.writes++;
      truncated.bytes += missing;
    }
  });
  try {
    for await (const part of typeof trace === 'string' ? createReadStream(trace) : trace) {
      reconstructor.push(typeof part === 'string' ? lineBytes(part) : part);
      for (const file of files ? Object.values(files) : []) if (file.writableNeedDrain) await once(file, 'drain');
    }
    const diagnostics = reconstructor.end();
    const writes = chunks.stdout.length + chunks.stderr.length;
    return { stdoutChunks: chunks.stdout, stderrChunks: chunks.stderr, writes, truncated, diagnostics };
  } finally {
    for (const file of files ? Object.values(files) : []) {
      file.end();
      await finished(file);
    }
  }
}

function lineBytes(line: string): Buffer {
  return Buffer.from(line.endsWith('\n') ? line : `${line}\n`);
}
