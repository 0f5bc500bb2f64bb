import { attemptFileNames, type LedgerEntry } from '../../protocol/index.ts';
import type { RecordFiles } from '../record-files.ts';
import { type Checking, problem } from './checking.ts';
import { hashFile } from './hash-file.ts';
import { MAX_SEAL_BYTES } from './seals.ts';

/** The entries of a run in the ledger of the installation that recorded it. */
export interface LedgerView {
  /** Entries of the run, in order. */
  entries: readonly LedgerEntry[];
  /** When the first entry of the ledger was made; null if it is empty. */
  began: string | null;
  /** The run is still announced as being recorded: a crash may have kept its last seal out of the ledger. */
  announced: boolean;
}

/** What the ledger adds to the record's own facts. */
export interface Listed {
  recovered: number[];
  older: number[];
}

/** Every seal must be the one that the ledger lists, and every listed seal must exist. */
export async function compareWithLedger({ files, seals, problems }: Checking, view: LedgerView): Promise<Listed> {
  const listed = new Map<number, LedgerEntry>();
  for (const entry of view.entries) {
    if (entry.attempt === null || entry.seal === null) continue;
    const before = listed.get(entry.attempt);
    const name = attemptFileNames(entry.attempt).seal;
    if (before && before.seal !== entry.seal) {
      const message = `attempt ${entry.attempt} was sealed again at ${entry.at}; its first seal was made at ${before.at}`;
      problems.push(problem('signature', name, message));
    }
    listed.set(entry.attempt, entry);
  }
  for (const entry of listed.values()) await compareSeal(files, entry, problems);
  const unlisted = [...seals.values()].filter(({ attempt }) => !listed.has(attempt));
  const older = unlisted.filter(({ sealed_at }) => view.began === null || sealed_at < view.began);
  for (const seal of unlisted) {
    if (older.includes(seal)) continue;
    const name = attemptFileNames(seal.attempt).seal;
    problems.push(
      view.announced
        ? problem('incomplete', name, 'not in the ledger yet: the recorder died before it entered the seal')
        : problem('added', name, 'not in the ledger, although it was made after the ledger began'),
    );
  }
  const recovered = [...listed.values()].filter(({ what }) => what === 'recovered');
  return { recovered: recovered.map(({ attempt }) => attempt!), older: older.map(({ attempt }) => attempt) };
}

async function compareSeal(files: RecordFiles, entry: LedgerEntry, problems: Checking['problems']): Promise<void> {
  const name = attemptFileNames(entry.attempt!).seal;
  const now = await hashFile(files, name, MAX_SEAL_BYTES);
  if (now === null) problems.push(problem('missing', name, `missing; the ledger lists it, made at ${entry.at}`));
  // A broken seal was already reported; that it differs from the ledger follows from that.
  else if (now.sha256 !== entry.seal && !problems.some(({ path, kind }) => path === name && kind === 'signature')) {
    problems.push(problem('signature', name, `not the seal that the ledger lists, made at ${entry.at}`));
  }
}
