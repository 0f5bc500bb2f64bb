import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createStreamReconstructor } from './stream-reconstructor.ts';
import type { TraceDiagnostic } from './trace-diagnostic.ts';
import type { TracedStream } from './traced-stream.ts';
import type { ReconstructedWrite } from './write-sorter.ts';

/** A path, raw bytes cut anywhere, or complete lines. */
export type TraceSource = string | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** One write, and the position of its bytes in the reconstructed stream. */
export interface StreamChunk {
  time: number | null;
  pid: number;
  fd: number;
  byte_from: number;
  byte_to: number;
  /** Bytes that the program wrote here and that the trace does not show. */
  missing: number;
}

type StreamChunkWithBytes = StreamChunk & { bytes: Buffer };

export interface Reconstruction<Chunk extends StreamChunk = StreamChunkWithBytes> {
  stdoutChunks: Chunk[];
  stderrChunks: Chunk[];
  writes: number;
  /** What the trace does not show: bytes beyond its string limit, or moved within the kernel. */
  truncated: { writes: number; bytes: number };
  diagnostics: TraceDiagnostic[];
}

/** Separates a trace recorded on one terminal into stdout and stderr; with two paths, into files. */
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
  const files: Record<TracedStream, FileHandle> | null =
    stdoutPath !== undefined && stderrPath !== undefined ? await openBoth(stdoutPath, stderrPath) : null;
  const chunks: Record<TracedStream, StreamChunk[]> = { stdout: [], stderr: [] };
  const lengths: Record<TracedStream, number> = { stdout: 0, stderr: 0 };
  const unwritten: Record<TracedStream, Buffer[]> = { stdout: [], stderr: [] };
  const truncated = { writes: 0, bytes: 0 };

  const reconstructor = createStreamReconstructor(({ stream, bytes, missing, time, pid, fd }: ReconstructedWrite) => {
    const byte_from = lengths[stream];
    lengths[stream] += bytes.length;
    const chunk = { time, pid, fd, byte_from, byte_to: lengths[stream], missing };
    chunks[stream].push(files ? chunk : Object.assign(chunk, { bytes }));
    if (files) unwritten[stream].push(bytes);
    if (missing > 0) {
      truncated.writes++;
      truncated.bytes += missing;
    }
  });
  const writeFiles = async () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const pieces = unwritten[stream].splice(0);
      if (pieces.length > 0) await files?.[stream].writeFile(Buffer.concat(pieces));
    }
  };
  try {
    for await (const part of typeof trace === 'string' ? createReadStream(trace) : trace) {
      reconstructor.push(typeof part === 'string' ? lineBytes(part) : part);
      await writeFiles();
    }
    const diagnostics = reconstructor.end();
    await writeFiles();
    const writes = chunks.stdout.length + chunks.stderr.length;
    return { stdoutChunks: chunks.stdout, stderrChunks: chunks.stderr, writes, truncated, diagnostics };
  } finally {
    await files?.stdout.close();
    await files?.stderr.close();
  }
}

async function openBoth(stdoutPath: string, stderrPath: string): Promise<Record<TracedStream, FileHandle>> {
  const stdout = await open(stdoutPath, 'w', 0o600);
  try {
    return { stdout, stderr: await open(stderrPath, 'w', 0o600) };
  } catch (error) {
    await stdout.close();
    throw error;
  }
}

function lineBytes(line: string): Buffer {
  return Buffer.from(line.endsWith('\n') ? line : `${line}\n`);
}
