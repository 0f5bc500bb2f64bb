import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, isRunning, temporaryName } from '../../files/index.ts';

/** Names with a dot are skipped by scans, and no skill is called so. */
const LEFTOVER = /^\.([a-z0-9_-]+)(\.old)?\.(\d+)\.[0-9a-f]{8}\.tmp$/;

/** Where a skill is written before it gets its name, or moved to before it is deleted. */
export function temporaryPlace(root: string, name: string): string {
  return temporaryName(path.join(root, `.${name}`));
}

/** Where a skill is kept while another one takes its place. */
export function replacedPlace(root: string, name: string): string {
  return temporaryName(path.join(root, `.${name}.old`));
}

/**
 * Removes what processes that were killed left in a folder of skills. A skill that one of them was about to replace is
 * put back. Whatever cannot be removed stays.
 */
export function removeLeftovers(root: string): void {
  for (const entry of namesIn(root)) {
    const [, name, old, pid] = LEFTOVER.exec(entry) ?? [];
    if (name === undefined || isRunning({ pid: Number(pid) })) continue;
    const leftover = path.join(root, entry);
    const original = path.join(root, name);
    ignoreSystemErrors(() => {
      if (old && !isThere(original)) fs.renameSync(leftover, original);
      else fs.rmSync(leftover, { recursive: true, force: true });
    });
  }
}

export function isThere(folder: string): boolean {
  return fs.lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
}

/** Anything but an error of the system is a bug. */
export function ignoreSystemErrors(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return []; // It does not exist yet, or is not ours to read.
  }
}
