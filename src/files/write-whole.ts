import { randomBytes } from 'node:crypto';
import fs from 'node:fs';

export interface WriteOptions {
  /** Flushes the content before it gets its name, so that it also survives a crash of the machine. */
  durable?: boolean;
  /** Private to the user unless given. */
  mode?: number;
}

/** Replaces the file in one step: readers see the old content or the new one, never a part. */
export function writeWhole(file: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  withTemporary(file, content, options, (temporary) => fs.renameSync(temporary, file));
}

/** Writes the content under a temporary name beside `file`, gives it to `place`, and leaves no temporary file behind. */
export function withTemporary<T>(
  file: string,
  content: string | Uint8Array,
  { durable = false, mode }: WriteOptions,
  place: (temporary: string) => T,
): T {
  const temporary = temporaryName(file);
  try {
    // Exclusive: the folder may belong to a program that puts a link where it expects our temporary file.
    fs.writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: durable });
    if (mode !== undefined) fs.chmodSync(temporary, mode);
    return place(temporary);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** A name beside `file` that no other writer uses. */
export function temporaryName(file: string): string {
  return `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
}
