import fs from 'node:fs';

/** The file that a descriptor leads to; empty if it is closed. */
export function pathOf(fd: number): string {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

/** Where the line of an event begins and ends, if it is in these bytes. */
export function lineOf(bytes: Buffer, seq: number): { from: number; to: number } | null {
  let from = 0;
  for (const line of bytes.toString('latin1').split('\n').slice(0, -1)) {
    const to = from + line.length + 1;
    if (/"seq":(\d+)/.exec(line)?.[1] === String(seq)) return { from, to };
    from = to;
  }
  return null;
}

/** Where a write is cut off that is to end before, within or after a line. */
export function cutAt(kind: string | undefined, { from, to }: { from: number; to: number }): number | null {
  if (kind === 'before') return from;
  if (kind === 'torn') return Math.floor((from + to) / 2);
  return kind === 'after' ? to : null;
}
