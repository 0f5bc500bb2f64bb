import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** After this time a snapshot trusts the times of files. */
const SETTLED_MS = 40;

export const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLED_MS));

/** A new empty folder, removed after the test. */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-snapshot-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function write(root: string, file: string, content: string | Uint8Array = ''): string {
  const target = path.join(root, file);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, content);
  return target;
}

export function makePipe(file: string): void {
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', file]);
}
