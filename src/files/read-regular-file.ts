import fs from 'node:fs';

/** No file that is read as a whole is larger; a record with a long prompt stays far below. */
const MAX_BYTES = 16 * 1024 * 1024;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/**
 * Opens a file that another program may have put in place. Never waits for a named pipe, never follows a link, and
 * refuses everything that is not a regular file.
 */
function openRegularFile(file: string): number {
  const fd = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    if (fs.fstatSync(fd).isFile()) return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  throw Object.assign(new Error(`${file} is not a regular file`), { code: 'EINVAL', path: file });
}

/** The text of such a file. Throws when it is larger than `maxBytes`. */
export function readRegularFile(file: string, { maxBytes = MAX_BYTES }: { maxBytes?: number } = {}): string {
  const fd = openRegularFile(file);
  try {
    const { size } = fs.fstatSync(fd);
    if (size > maxBytes) {
      throw Object.assign(new Error(`${file} has ${size} bytes, more than ${maxBytes}`), { code: 'EFBIG', path: file });
    }
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}

/** Whether no descriptor was left: this says nothing about the file. */
export function isOutOfDescriptors(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'EMFILE' || errno === 'ENFILE';
}

/** The name of the system error behind an error, such as `ENOENT`, however often it was wrapped. */
export function errnoOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code)) return code;
  }
  return undefined;
}
