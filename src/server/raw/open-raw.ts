import type { FileHandle } from 'node:fs/promises';
import { openRegularHandle } from '../../files/index.ts';
import { attemptFileNames, type RawStream, TachoError } from '../../protocol/index.ts';
import { type RecordFile, withFile } from '../../record/index.ts';
import { folderFiles, type RunFolder } from '../../recording/index.ts';
import { recordFile } from '../locate-run.ts';

/** Opens the file of a stream for sending. Its offsets are those of events; the caller closes it. */
export async function openRaw(
  folder: RunFolder,
  stream: RawStream,
  attempt: number,
): Promise<{ handle: FileHandle; size: number }> {
  const file = recordFile(folder, attemptFileNames(attempt)[stream]);
  if (file === null) throw streamNotFound(folder, stream, attempt);
  const handle = await openRegularHandle(file);
  return { handle, size: (await handle.stat()).size };
}

/** Opens the file of a stream for reading. */
export function withRaw<T>(
  folder: RunFolder,
  { stream, attempt }: { stream: RawStream; attempt: number },
  work: (file: RecordFile) => Promise<T>,
): Promise<T> {
  return withFile(folderFiles(folder), attemptFileNames(attempt)[stream], (file) => {
    if (file === null) throw streamNotFound(folder, stream, attempt);
    return work(file);
  });
}

function streamNotFound(folder: RunFolder, stream: RawStream, attempt: number): TachoError {
  return new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no ${stream}`, {
    facts: { attempt, stream },
    fix: '`bytes` of GET /v1/runs/{id}/attempts/{n} lists the streams.',
  });
}
