import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openRegularFile } from '../files/index.ts';
import { nodeSha256 } from '../journal/index.ts';
import {
  AUDIT_FOLDER,
  attemptFileNames,
  type LedgerEntry,
  type LedgerHead,
  type SinceAnswer,
} from '../protocol/index.ts';
import { rootOfLeaves } from '../record/index.ts';
import type { Entered } from './entry-log.ts';
import type { Ledger } from './ledger.ts';

/** What `--since` finds, with the entries it went through. */
interface SinceReport extends Pick<SinceAnswer, 'problems' | 'removed' | 'checked'> {
  entries: LedgerEntry[];
}

/** Whether the ledger still begins as it did when a head was made, and every seal it lists is there and is the one it lists. */
export async function checkSince(ledger: Ledger, head: LedgerHead, runsRoot: string): Promise<SinceReport> {
  const { entries, leaves } = await ledger.read((reader) => readAll(reader.entries()));
  // From the entries, not from the kept hashes: whoever writes the ledger again can leave those as they were.
  const root = head.size <= leaves.length ? rootOfLeaves(leaves.slice(0, head.size), nodeSha256) : null;
  const problems: SinceAnswer['problems'] = [];
  const say = (message: string) => problems.push({ run_id: null, attempt: null, message });
  if (root === null) say(`the ledger has ${entries.length} entries, and had ${head.size}: some were taken away`);
  else if (root !== head.root) say(`the first ${head.size} entries of the ledger are not those it had`);
  const removals = entries.filter(({ what }) => what === 'removed');
  const removed = new Set(removals.map(({ run_id }) => run_id));
  const listed = entries.filter(({ run_id, seal }) => seal !== null && !removed.has(run_id));
  const seen = new Set<string>();
  for (const [index, entry] of listed.entries()) {
    if (index % SEALS_AT_ONCE === 0) await setImmediate();
    const name = `${entry.run_id} ${entry.attempt}`;
    const message = seen.has(name) ? 'was sealed more than once' : sealProblem(entry, runsRoot);
    seen.add(name);
    if (message) problems.push({ run_id: entry.run_id, attempt: entry.attempt, message });
  }
  for (const { run_id, at } of removals) {
    if (!fs.existsSync(path.join(runsRoot, run_id, AUDIT_FOLDER))) continue;
    problems.push({ run_id, attempt: null, message: `was removed at ${at}, and its folder is there` });
  }
  return {
    entries,
    problems,
    removed: removals.filter(({ n }) => n >= head.size).map(({ run_id, at }) => ({ run_id, at })),
    checked: {
      seals: listed.length,
      removed: removed.size,
      recovered: listed.filter(({ what }) => what === 'recovered').length,
      newer: Math.max(0, entries.length - head.size),
    },
  };
}

function readAll(entered: Iterable<Entered>): { entries: LedgerEntry[]; leaves: string[] } {
  const entries: LedgerEntry[] = [];
  const leaves: string[] = [];
  for (const { entry, leaf } of entered) {
    entries.push(entry);
    leaves.push(leaf);
  }
  return { entries, leaves };
}

/** A server answers others in between. */
const SEALS_AT_ONCE = 500;
const MAX_SEAL_BYTES = 64 * 1024 * 1024;
let scratch = Buffer.allocUnsafe(64 * 1024);

function sealProblem({ run_id, attempt, seal, at }: LedgerEntry, runsRoot: string): string | null {
  const file = path.join(runsRoot, run_id, AUDIT_FOLDER, attemptFileNames(attempt!).seal);
  try {
    return hashOf(file) === seal ? null : `is not the seal that was made at ${at}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? `is gone; it was made at ${at}` : `cannot be read: ${message}`;
  }
}

/** A hundred thousand of them are read in a row, so into the same memory. */
function hashOf(file: string): string {
  const fd = openRegularFile(file);
  try {
    let length = fs.readSync(fd, scratch, 0, scratch.length, 0);
    if (length === scratch.length) {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || stat.size > MAX_SEAL_BYTES) throw new Error('it is not a seal');
      if (stat.size > scratch.length) scratch = Buffer.allocUnsafe(stat.size + 1);
      length = fs.readSync(fd, scratch, 0, scratch.length, 0);
    }
    return nodeSha256.of(scratch.subarray(0, length));
  } finally {
    fs.closeSync(fd);
  }
}
