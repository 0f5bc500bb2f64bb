import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { nodeSha256 } from '../journal/index.ts';
import { AUDIT_FOLDER, type LedgerEntry, type LedgerHead, type SinceAnswer } from '../protocol/index.ts';
import { rootOfLeaves } from '../record/index.ts';
import type { Entered } from './entry-log.ts';
import type { Ledger } from './ledger.ts';
import { ListedSeals } from './listed-seals.ts';
import { SealHelper } from './seal-helper.ts';

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
  let helper: SealHelper | null = null;
  try {
    // From the entries, not from the kept hashes: someone who rewrites the ledger can leave those unchanged.
    const root = await ledger.read((reader) => {
      helper = new SealHelper(runsRoot, reader.size);
      const read = (entry: LedgerEntry) => {
        entries.push(entry);
        helper!.add(entry);
      };
      return rootOfLeaves(leavesOf(head.size, reader.entries(), read), nodeSha256);
    });
    return await reportOf({ entries, root, head, runsRoot, helper: helper! });
  } finally {
    (helper as SealHelper | null)?.stop();
  }
}

interface Walked {
  entries: LedgerEntry[];
  /** Of the first entries, as many as the head has. */
  root: string;
  head: LedgerHead;
  runsRoot: string;
  helper: SealHelper;
}

async function reportOf({ entries, root, head, runsRoot, helper }: Walked): Promise<SinceReport> {
  const problems: Problems = [];
  const say = (message: string) => problems.push({ run_id: null, attempt: null, message });
  if (entries.length < head.size)
    say(`the ledger has ${entries.length} entries, and had ${head.size}: some were taken away`);
  else if (root !== head.root) say(`the first ${head.size} entries of the ledger are not those it had`);
  const removals = entries.filter(({ what }) => what === 'removed');
  const removed = new Set(removals.map(({ run_id }) => run_id));
  const listed = entries.filter(({ run_id, seal }) => seal !== null && !removed.has(run_id));
  problems.push(...(await sealProblems(listed, { runsRoot, helper })));
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

/** What is wrong with the seals of these entries, from the last to the first: the helper comes from the other end. */
async function sealProblems(
  listed: readonly LedgerEntry[],
  { runsRoot, helper }: Pick<Walked, 'runsRoot' | 'helper'>,
): Promise<Problems> {
  const seals = new ListedSeals(runsRoot);
  const repeated = repeatedSeals(listed);
  const problems: Problems = [];
  try {
    for (let index = listed.length - 1; index >= 0; index--) {
      if (index % SEALS_AT_ONCE === 0) await setImmediate();
      const entry = listed[index]!;
      const { run_id, attempt } = entry;
      if (repeated.has(entry)) problems.push({ run_id, attempt, message: 'was sealed more than once' });
      else if (!helper.confirms(entry)) {
        const message = seals.problemOf(entry);
        if (message) problems.push({ run_id, attempt, message });
      }
    }
  } finally {
    seals.close();
  }
  return problems.reverse();
}

/** Entries about an attempt that an earlier entry is about. */
function repeatedSeals(listed: readonly LedgerEntry[]): Set<LedgerEntry> {
  const first = new Map<string, number | null>();
  const further = new Set<string>();
  const repeated = new Set<LedgerEntry>();
  for (const entry of listed) {
    const { run_id, attempt } = entry;
    const before = first.get(run_id);
    if (before === undefined) first.set(run_id, attempt);
    else if (before === attempt || further.has(`${run_id} ${attempt}`)) repeated.add(entry);
    else further.add(`${run_id} ${attempt}`);
  }
  return repeated;
}

/** The leaves of the first `size` entries, while all entries are read. */
function* leavesOf(size: number, entered: Iterable<Entered>, read: (entry: LedgerEntry) => void): Generator<string> {
  for (const { entry, leaf } of entered) {
    read(entry);
    if (entry.n < size) yield leaf;
  }
}
