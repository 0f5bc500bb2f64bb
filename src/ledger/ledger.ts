import fs from 'node:fs';
import path from 'node:path';
import { openRegularFile, pollUntil, takeFlock } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';
import type { LedgerEntry } from '../protocol/record/ledger.ts';
import { enter, findEntries, firstEntry, lastEntry, NO_ENTRY } from './entry-log.ts';
import { KeptHashes, writeAll } from './kept-hashes.ts';
import { LedgerReader } from './ledger-reader.ts';

const LOCK_WAIT_MS = 5000;
const LOCK_LOOK_MS = 5;

export type NewEntry = Pick<LedgerEntry, 'what' | 'run_id' | 'attempt' | 'seal'>;

/**
 * Every seal an installation made, in the order in which they were made. Entries are only ever added, and one hash stands
 * for all of them (`head`): a kept head later shows whether any of the seals was replaced or removed.
 */
export class Ledger {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns when the entry is on disk. */
  async append({ what, run_id, attempt, seal }: NewEntry): Promise<LedgerEntry> {
    return this.#withFiles((entries, hashes) => {
      const { last, end } = lastEntry(entries);
      const n = last ? last.entry.n + 1 : 0;
      if (!hashes.fits(n, last?.leaf ?? null)) hashes.rebuild(entries);
      const at = new Date().toISOString();
      const added = enter({ n, at, what, run_id, attempt, seal, previous: last?.leaf ?? NO_ENTRY });
      writeAll(entries, Buffer.concat([added.line, Buffer.of(0x0a)]), end);
      // A crash may have left the beginning of a longer line.
      fs.ftruncateSync(entries, end + added.line.length + 1);
      fs.fdatasyncSync(entries);
      hashes.add(added.leaf, n);
      return added.entry;
    });
  }

  /** The entries of a run, and when the ledger began. Others may append meanwhile. */
  async entriesOf(runId: string): Promise<{ entries: LedgerEntry[]; began: string | null }> {
    let fd: number;
    try {
      fd = openRegularFile(path.join(this.#folder, 'entries.jsonl'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { entries: [], began: null };
      throw error;
    }
    try {
      const entries = [...findEntries(fd, textOf(runId))].map(({ entry }) => entry);
      return { entries, began: firstEntry(fd)?.entry.at ?? null };
    } finally {
      fs.closeSync(fd);
    }
  }

  /** What `work` reads of the ledger does not change meanwhile. */
  async read<T>(work: (ledger: LedgerReader) => T): Promise<T> {
    return this.#withFiles((entries, hashes) => {
      const { last } = lastEntry(entries);
      const size = last ? last.entry.n + 1 : 0;
      if (!hashes.fits(size, last?.leaf ?? null)) hashes.rebuild(entries);
      return work(new LedgerReader({ size, entries, hashes, folder: this.#folder }));
    });
  }

  async #withFiles<T>(work: (entries: number, hashes: KeptHashes) => T): Promise<T> {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const lock = await pollUntil(() => takeFlock(path.join(this.#folder, 'entries.jsonl')), {
      everyMs: LOCK_LOOK_MS,
      timeoutMs: LOCK_WAIT_MS,
    });
    if (!lock) {
      throw new TachoError(
        'LEDGER_LOCKED',
        `another process has kept the ledger of seals to itself for ${LOCK_WAIT_MS} ms`,
        {
          facts: { path: this.#folder },
          fix: 'Find the process that has ledger/entries.jsonl of the data folder open, and end it; then run tacho recover.',
        },
      );
    }
    let hashes: number | null = null;
    try {
      hashes = openRegularFile(path.join(this.#folder, 'hashes'), 'update');
      return work(lock.fd, new KeptHashes(hashes));
    } finally {
      if (hashes !== null) fs.closeSync(hashes);
      lock.release();
    }
  }
}

/** What the line of an entry of a run holds, and no other. The longer it is, the faster it is found. */
function textOf(runId: string): string {
  return `,"run_id":${JSON.stringify(runId)},"attempt":`;
}
