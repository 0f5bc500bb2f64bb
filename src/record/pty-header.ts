import type { RecordFile } from './record-files.ts';

/** The first line of `pty-output.N.log` is not output; this is its maximum length. */
export const PTY_HEADER_MAX_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Length of the header line in the first bytes of the file, even if a crash cut it off. */
export function ptyHeaderLength(start: Uint8Array): number {
  const end = start.indexOf(LINE_FEED);
  return end < 0 ? start.length : end + 1;
}

export async function readPtyHeaderLength(file: RecordFile): Promise<number> {
  return ptyHeaderLength(await file.read(0, Math.min(file.size, PTY_HEADER_MAX_BYTES)));
}
