import { TachoError } from '../protocol/index.ts';

/** True for errors that rebuilding the file would fix. */
export function isDamage(error: unknown): error is TachoError {
  return error instanceof TachoError && error.code === 'INDEX_DAMAGED';
}

/** Translates an error of SQLite for the user; an error in a statement is returned unchanged. */
export function databaseError(cause: unknown, file: string): unknown {
  if (cause instanceof TachoError || !(cause instanceof Error)) return cause;
  const { code = '' } = cause as Error & { code?: string };
  const facts = { path: file, sqlite: code };
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code) || cause.message.includes('unsupported file format')) {
    return damaged(file, cause.message, { cause, facts });
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') {
    const fix = 'Free some disk space and try again.';
    return new TachoError('DISK_FULL', `no space left to write ${file}`, { facts, cause, fix });
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    const fix = 'Only one tacho server may write there: end the other one.';
    return new TachoError('DATA_FOLDER_UNWRITABLE', `${file} is held by another process for too long`, {
      facts,
      cause,
      fix,
    });
  }
  // The library reports a file that cannot be opened without a code, Node with its own.
  const unusable = /^SQLITE_(READONLY|CANTOPEN|PERM|IOERR)/.test(code) || 'syscall' in cause;
  if (unusable || cause.message.startsWith('ConnectionFailed')) {
    const fix = 'Make the data folder writable for the user that runs tacho.';
    return new TachoError('DATA_FOLDER_UNWRITABLE', `${file} cannot be used: ${cause.message}`, { facts, cause, fix });
  }
  return cause;
}

export function damaged(
  file: string,
  what: string,
  {
    fix = 'Rebuild it from the run folders: tacho index rebuild',
    ...more
  }: ConstructorParameters<typeof TachoError>[2] = {},
): TachoError {
  return new TachoError('INDEX_DAMAGED', `${file} cannot be read: ${what}`, { facts: { path: file }, ...more, fix });
}
