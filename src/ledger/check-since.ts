import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { nodeSha256 } from '../journal/index.ts';
import { AUDIT_FOLDER, type LedgerEntry, type LedgerHead, type SinceAnswer } from '../protocol/index.ts';
import { rootOfLeaves } from '../record/index.ts';
import type { Entered } from './entry-log.ts';
import type { Ledger } from './ledger.ts';
import { ListedSeals } from './listed-seals.ts';

/** A server answers others in between. */
const SEALS_AT_ONCE = 500;

type Problems = SinceAnswer['problems'];

/** What `--since` finds, with the entries it went through. */
interface SinceReport extends Pick<SinceAnswer, 'problems' | 'removed' | 'checked'> {
  entries: LedgerEntry[];
}

/** Whether the ledger still begins as it did when a head was made, and every seal it lists is there and is the one it lists. */
export async function checkSince(ledger: Ledger, head: LedgerHead, runsRoot: string): Promise<SinceReport> {
  const entries: LedgerEntry[] = [];
  // From the entries, not from the kept hashes: someone who rewrites the ledger can leave those unchanged.
  const root = await ledger.read((reader) => rootOfLeaves(leavesOf(head.size, reader.entries(), entries), nodeSha256));
  const problems: Problems = [];
  const say = (message: string) => problems.push({ run_id: null, attempt: null, message });
  if (entries.length < head.size)
    say(`the ledger has ${entries.length} entries, and had ${head.size}: some were taken away`);
  else if (root !== head.root) say(`the first ${head.size} entries of the ledger are not those it had`);
  const removals = entries.filter(({ what }) => what === 'removed');
  const removed = new Set(removals.map(({ run_id }) => run_id));
  const listed = entries.filter(({ run_id, seal }) => seal !== null && !removed.has(run_id));
  await addProblems(problems, listed, runsRoot);
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

/** What is wrong with the seals of these entries. */
async function addProblems(problems: Problems, listed: readonly LedgerEntry[], runsRoot: string): Promise<void> {
  const seals = new ListedSeals(runsRoot);
  const seen = new Set<string>();
  try {
    for (const [index, entry] of listed.entries()) {
      if (index % SEALS_AT_ONCE === 0) await setImmediate();
      const { run_id, attempt } = entry;
      const name = `${run_id} ${attempt}`;
      const message = seen.has(name) ? 'was sealed more than once' : seals.problemOf(entry);
      seen.add(name);
      if (message) problems.push({ run_id, attempt, message });
    }
  } finally {
    seals.close();
  }
}

/** The leaves of the first `size` entries, while all entries are read into a list. */
function* leavesOf(size: number, entered: Iterable<Entered>, into: LedgerEntry[]): Generator<string> {
  for (const { entry, leaf } of entered) {
    into.push(entry);
    if (entry.n < size) yield leaf;
  }
}
