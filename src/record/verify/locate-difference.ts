import { attemptFileNames, type RawStream, TachoError } from '../../protocol/index.ts';
import { type ChunkIndex, openChunkIndex } from '../chunk-index.ts';
import { pieces } from '../file-pieces.ts';
import { readPtyHeaderLength } from '../pty-header.ts';
import { type RecordFile, type RecordFiles, withFile } from '../record-files.ts';

/** Hash of a stream up to some byte, protected by the chain. */
export interface Checkpoint {
  attempt: number;
  stream: RawStream;
  bytes: number;
  sha256: string;
}

const CHUNKS_AT_ONCE = 2048;

/**
 * The first changed byte of a stream file. Output is recorded twice, split and merged, and the chunk index maps pieces
 * of one to the other: the first difference is the byte. Otherwise, the checkpoints narrow it down to a range between
 * two of them. Null if neither helps.
 */
export async function locateDifference(
  files: RecordFiles,
  attempt: number,
  name: string,
  checkpoints: readonly Checkpoint[],
): Promise<number | null> {
  const names = attemptFileNames(attempt);
  const stream = (['stdout', 'stderr', 'pty', 'stdin'] as const).find((key) => names[key] === name);
  if (!stream) return null;
  return withFile(files, name, async (file) => {
    if (file === null) return null;
    const exact = stream === 'stdin' ? null : await compareWithTwin(files, attempt, stream);
    const own = checkpoints.filter((checkpoint) => checkpoint.attempt === attempt && checkpoint.stream === stream);
    return exact ?? lastGoodCheckpoint(file, own, files);
  });
}

async function compareWithTwin(
  files: RecordFiles,
  attempt: number,
  stream: 'stdout' | 'stderr' | 'pty',
): Promise<number | null> {
  const names = attemptFileNames(attempt);
  const open = [names.stdout, names.stderr, names.pty, names.chunks].map((name) => files.open(name));
  const [stdout, stderr, pty, chunks] = (await Promise.all(open)) as [
    RecordFile | null,
    RecordFile | null,
    RecordFile | null,
    RecordFile | null,
  ];
  try {
    const index = chunks && (await readableIndex(chunks, names.chunks));
    if (!stdout || !stderr || !pty || !index) return null;
    const header = await readPtyHeaderLength(pty);
    const [merged, sides] = [createWindow(pty), { a: createWindow(stdout), b: createWindow(stderr) }];
    for (let position = 0; position < index.length; position += CHUNKS_AT_ONCE) {
      for (const { source, length, ends } of await index.read(position, position + CHUNKS_AT_ONCE)) {
        if ((source !== 'a' && source !== 'b') || (stream !== 'pty' && stream !== SIDE_STREAMS[source])) continue;
        const from = ends[source] - length;
        const mergedFrom = header + ends.a + ends.b - length;
        const one = sides[source].get(from, from + length) ?? (await sides[source].load(from, from + length));
        const other =
          merged.get(mergedFrom, mergedFrom + length) ?? (await merged.load(mergedFrom, mergedFrom + length));
        const different = firstDifference(one, other);
        if (different !== null) return (stream === 'pty' ? mergedFrom : from) + different;
      }
    }
    return null;
  } finally {
    for (const file of [stdout, stderr, pty, chunks]) await file?.close();
  }
}

const SIDE_STREAMS = { a: 'stdout', b: 'stderr' } as const;

/** Null if the index itself was changed and is unreadable; that is reported for the index. */
async function readableIndex(file: RecordFile, name: string): Promise<ChunkIndex | null> {
  try {
    return await openChunkIndex(file, name);
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  }
}

const WINDOW_BYTES = 1024 * 1024;

/** Reads ahead: chunks are small and consecutive, and must not cost a read each. */
function createWindow(file: RecordFile) {
  let start = 0;
  let bytes = new Uint8Array(0) as Uint8Array;
  const get = (from: number, to: number): Uint8Array | null =>
    from >= start && to <= start + bytes.length ? bytes.subarray(from - start, to - start) : null;
  return {
    get,
    async load(from: number, to: number): Promise<Uint8Array> {
      start = from;
      bytes = await file.read(from, Math.max(to, from + WINDOW_BYTES));
      return bytes.subarray(0, to - from);
    },
  };
}

/** The end of the last checkpoint that still matches: the change is after it. */
async function lastGoodCheckpoint(
  file: RecordFile,
  checkpoints: readonly Checkpoint[],
  { sha256 }: RecordFiles,
): Promise<number | null> {
  if (checkpoints.length === 0) return null;
  const hash = sha256.start();
  let hashed = 0;
  for (const checkpoint of checkpoints) {
    for await (const { bytes } of pieces(file, hashed, checkpoint.bytes)) hash.update(bytes);
    if (hash.digest() !== checkpoint.sha256) return hashed;
    hashed = checkpoint.bytes;
  }
  return hashed;
}

function firstDifference(one: Uint8Array, other: Uint8Array): number | null {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) if (one[at] !== other[at]) return at;
  return one.length === other.length ? null : shorter;
}
