import fs from 'node:fs';
import path from 'node:path';
import { type RunFolder, writeWhole } from '../../recording/index.ts';
import type { RunRequest } from '../request.ts';

/** The attempt that is to come, as whoever starts it needs it. It may hold secrets, so it is private and does not stay. */
const FILE = 'next.json';
const FORMAT = 'tacho-next/1';

export function writePendingAttempt(folder: RunFolder, request: RunRequest): void {
  writeWhole(fileOf(folder), `${JSON.stringify({ format: FORMAT, request })}\n`, { replace: true });
}

/** Written by us alone, so its form is not in doubt; null when no attempt is to come. */
export function readPendingAttempt(folder: RunFolder): RunRequest | null {
  let text: string;
  try {
    text = fs.readFileSync(fileOf(folder), 'utf8');
  } catch {
    return null; // None is to come, or it has begun.
  }
  const { format, request } = JSON.parse(text) as { format: string; request: RunRequest };
  return format === FORMAT ? request : null;
}

export function removePendingAttempt(folder: RunFolder): void {
  fs.rmSync(fileOf(folder), { force: true });
}

function fileOf(folder: RunFolder): string {
  return path.join(folder.audit, FILE);
}
