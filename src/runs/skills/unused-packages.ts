import fs from 'node:fs';
import path from 'node:path';
import { bytesIn, createYielder, errnoOf, readRegularFile } from '../../files/index.ts';
import { RUN_RECORD_FILE } from '../../protocol/index.ts';
import { handleOf, listRunIds } from '../../recording/index.ts';
import { type DataHome, packagesFolder } from '../data-home.ts';
import { runsWithStoredRequest, storedRequestText } from '../request/stored-request.ts';

/** A package that was kept more recently may belong to a run that is being accepted and has no record yet. */
const MIN_AGE_MS = 3_600_000;

/** Packages of skills that were removed, or would be. */
export interface FreedPackages {
  count: number;
  bytes: number;
  /** Handles of runs that may refer to any package, because their record cannot be read: nothing is removed. */
  unreadable: string[];
}

/**
 * Removes kept packages that no run refers to any more. A package that was kept within the last hour stays: the run that
 * needs it may not have a record yet.
 */
export async function removeUnusedPackages(
  home: DataHome,
  {
    dryRun = false,
    without = new Set(),
  }: { dryRun?: boolean /** Runs that do not count. */; without?: Set<string> } = {},
): Promise<FreedPackages> {
  const root = packagesFolder(home);
  const freed: FreedPackages = { count: 0, bytes: 0, unreadable: [] };
  // Most data folders have none. A link could lead to the folder of another program.
  if (!fs.lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) return freed;
  const { oldPackages, removeKeptPackage, removeLeftovers } = await import('../../skills/index.ts');
  if (!dryRun) removeLeftovers(root);
  const { unused, unreadable } = await findUnused(home, new Set(oldPackages(root, MIN_AGE_MS)), without);
  if (unreadable.length > 0) return { ...freed, unreadable };
  for (const sha256 of unused) {
    const bytes = await orNull(() =>
      dryRun ? bytesIn(path.join(root, sha256)) : removeKeptPackage(root, sha256, MIN_AGE_MS),
    );
    if (bytes === null) continue;
    freed.count++;
    freed.bytes += bytes;
  }
  return freed;
}

interface Unused {
  unused: Set<string>;
  unreadable: string[];
}

/** Newest runs first: usually a few of them refer to all packages, and the others need not be read. */
async function findUnused(home: DataHome, candidates: Set<string>, without: Set<string>): Promise<Unused> {
  const unused = new Set(candidates);
  const unreadable: string[] = [];
  const turn = createYielder();
  // A hash is not looked for in one field: a record of another version may have it elsewhere.
  const dropNamed = (text: string) => {
    for (const sha256 of unused) if (text.includes(sha256)) unused.delete(sha256);
  };
  if (unused.size === 0) return { unused, unreadable };
  const stored = new Set(runsWithStoredRequest(home));
  for (const runId of listRunIds(home.runs).reverse()) {
    if (unused.size === 0) break;
    if (without.has(runId)) continue;
    await turn();
    const text = textOf(runId, home, stored.has(runId));
    if (text === null) unreadable.push(handleOf(runId));
    else dropNamed(text);
  }
  return { unused, unreadable };
}

/** The record of a run and its next request. Null if they cannot be read; empty if the run is gone. */
function textOf(runId: string, home: DataHome, hasStored: boolean): string | null {
  const folder = path.join(home.runs, runId);
  try {
    const record = readRegularFile(path.join(folder, RUN_RECORD_FILE));
    return hasStored ? record + storedRequestText(home, runId) : record;
  } catch (error) {
    return isBeginning(folder, error) ? '' : null;
  }
}

/** A run without a record yet, whose packages were kept just before; or one that was just removed. */
function isBeginning(folder: string, error: unknown): boolean {
  if (errnoOf(error) !== 'ENOENT') return false;
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stat === undefined || Date.now() - stat.mtimeMs < MIN_AGE_MS;
}

/** Whatever cannot be removed stays, and must not keep the others. Anything but an error of the system is a bug. */
async function orNull<T>(step: () => T | Promise<T>): Promise<T | null> {
  try {
    return await step();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}
