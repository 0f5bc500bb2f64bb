import { TachoError } from '../../protocol/index.ts';

export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** What a claim that fails half-way means to the person who started the run. */
export function claimFailure(cause: unknown, path: string): TachoError {
  if (cause instanceof TachoError) return cause;
  const errno = errnoOf(cause);
  if (errno !== 'EROFS' && errno !== 'EACCES' && errno !== 'EPERM') return writeFailure(cause, path);
  return new TachoError('RUN_FOLDER_READ_ONLY', `${path} cannot be written (${errno})`, {
    facts: { path, errno },
    cause,
    fix: 'Make the folder writable for the user that runs tacho.',
  });
}

export function writeFailure(cause: unknown, path: string): TachoError {
  const errno = errnoOf(cause);
  const facts = { path, errno };
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    const fix = 'Free some disk space and try again.';
    return new TachoError('DISK_FULL', `No space left to write ${path}`, { facts, cause, fix });
  }
  return new TachoError('RECORDING_FAILED', `${path} could not be written (${errno ?? cause})`, { facts, cause });
}

export function runNotFound(run: string, folder: string): TachoError {
  return new TachoError('RUN_NOT_FOUND', `Run ${run} has no record at ${folder}`, { facts: { run, path: folder } });
}

export function journalDamaged(path: string, byteOffset: number, what: string): TachoError {
  return new TachoError('JOURNAL_DAMAGED', `${path}: ${what}, at byte ${byteOffset}`, {
    facts: { path, byte_offset: byteOffset },
    fix: 'Run `tacho verify` on the run to see what still holds.',
  });
}
