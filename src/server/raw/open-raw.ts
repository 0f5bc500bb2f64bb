import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { attemptFileNames, type RawStream, TachoError } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { recordFile } from '../locate-run.ts';

export interface RawFile {
  handle: FileHandle;
  /** As it was when it was opened; the file of a live attempt grows. */
  size: number;
}

/** Opens the file of a stream. Offsets in it are those that events point at; whoever opened it closes it. */
export async function openRaw(folder: RunFolder, stream: RawStream, attempt: number): Promise<RawFile> {
  const file = recordFile(folder, attemptFileNames(attempt)[stream]);
  if (file === null) {
    throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no ${stream}`, {
      facts: { attempt, stream },
      fix: 'What there is stands under `bytes` of GET /v1/runs/{id}/attempts/{n}.',
    });
  }
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  return { handle, size: (await handle.stat()).size };
}

export async function withRaw<T>(
  folder: RunFolder,
  { stream, attempt }: { stream: RawStream; attempt: number },
  work: (file: RawFile) => Promise<T>,
): Promise<T> {
  const file = await openRaw(folder, stream, attempt);
  try {
    return await work(file);
  } finally {
    await file.handle.close();
  }
}

/** The bytes of a stretch in pieces; each is valid until the next is asked for. */
export async function* pieces(
  { handle }: RawFile,
  from: number,
  to: number,
  pieceBytes = 1024 * 1024,
): AsyncGenerator<{ at: number; bytes: Buffer }> {
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, to - from)));
  for (let at = from; at < to; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at);
    if (bytesRead === 0) return;
    yield { at, bytes: buffer.subarray(0, bytesRead) };
    at += bytesRead;
  }
}

export async function readSpan({ handle }: RawFile, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, to - from));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
