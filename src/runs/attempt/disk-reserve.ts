import fs from 'node:fs';
import { TachoError } from '../../protocol/index.ts';
import { appendAll, createAttemptFile } from '../../recording/index.ts';

const RESERVE_BYTES = 256 * 1024;

/** Disk space reserved in advance, so that a full disk can still be recorded. */
export class DiskReserve {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  take(): void {
    const fd = createAttemptFile(this.#path);
    try {
      appendAll(fd, [Buffer.alloc(RESERVE_BYTES)], this.#path);
    } finally {
      fs.closeSync(fd);
    }
  }

  release(): void {
    fs.rmSync(this.#path, { force: true });
  }
}

/** Refuses to start a recording that would soon fill the disk. */
export function refuseLowDisk(folder: string, floorBytes: number): void {
  const { bavail, bsize } = fs.statfsSync(folder);
  const free = bavail * bsize;
  if (free >= floorBytes) return;
  throw new TachoError(
    'DISK_FULL',
    `only ${mebibytes(free)} MiB are free in ${folder}; a run needs ${mebibytes(floorBytes)} MiB`,
    {
      facts: { path: folder, free_bytes: free, floor_bytes: floorBytes },
      fix: 'Free some space, keep runs elsewhere with --data, or lower limits.disk_floor_bytes.',
    },
  );
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
