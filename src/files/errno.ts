/** Whether no descriptor was left: this says nothing about the file. */
export function isOutOfDescriptors(error: unknown): boolean {
  const errno = errnoOf(error);
  if (errno !== undefined) return errno === 'EMFILE' || errno === 'ENFILE';
  // As the database reports it.
  return error instanceof Error && /too many open files/i.test(error.message);
}

/** Whether the machine is at fault, and not the file: a full or broken disk, too few descriptors. */
export function isMachineTrouble(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'].includes(errnoOf(error) ?? '');
}

/** The name of the system error behind an error, such as `ENOENT`, however often it was wrapped. */
export function errnoOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code)) return code;
  }
  return undefined;
}
