import path from 'node:path';
import { isRegularFile, setAside } from '../../files/index.ts';
import { nodeSha256 } from '../../journal/index.ts';
import { Ledger } from '../../ledger/index.ts';
import { attemptFileNames, type LedgerEntry, TachoError } from '../../protocol/index.ts';
import { checkSignature, readSeals } from '../../record/index.ts';
import {
  folderFiles,
  hashFile,
  loadSealKey,
  type RunFolder,
  type SealRequest,
  sealAttempt,
  sealText,
} from '../../recording/index.ts';
import { isAnnounced } from '../attempt/live-runs.ts';
import type { DataHome } from '../data-home.ts';

/** A larger file is not a seal, and is not read to its end. */
const MAX_SEAL_BYTES = 64 * 1024 * 1024;

type Sealing = Omit<SealRequest, 'key'>;

/** The ledger of this installation's seals. */
export function openLedger({ root }: Pick<DataHome, 'root'>): Ledger {
  return new Ledger(path.join(root, 'ledger'));
}

/**
 * Seals an attempt and enters the seal into the ledger, in this order: a crash in between leaves an unlisted seal of a
 * still announced run, and `tacho recover` enters it.
 */
export async function sealAndEnter(sealing: Sealing, home: DataHome, what: 'sealed' | 'recovered'): Promise<void> {
  const { folder, attempt } = sealing;
  const file = path.join(folder.audit, attemptFileNames(attempt).seal);
  const key = loadSealKey(home.keys);
  // Only a dead recorder may have left one; otherwise another process created it, and sealing fails.
  const isThere = what === 'recovered' && (await hasOwnSeal(sealing, home));
  if (what === 'recovered' && !isThere) setAside(file);
  // The seal as written, not the current content of the file.
  const seal = isThere
    ? hashFile(file, MAX_SEAL_BYTES).sha256
    : nodeSha256.of(sealText(sealAttempt({ ...sealing, key })));
  await openLedger(home).append({ what: isThere ? 'completed' : what, run_id: folder.runId, attempt, seal });
}

/**
 * Whether a recorder had sealed the attempt before it died: only seals of this installation count, and the log must be
 * unchanged since.
 */
export async function hasOwnSeal(
  { folder, attempt, chain }: Pick<Sealing, 'folder' | 'attempt' | 'chain'>,
  home: DataHome,
): Promise<boolean> {
  const files = folderFiles(folder);
  const found = (await readSeals(files)).find(({ name }) => name === attemptFileNames(attempt).seal);
  const seal = found?.kind === 'seal' ? found.seal : null;
  const isOurs = seal?.run_id === folder.runId && seal.attempt === attempt && seal.key.id === loadSealKey(home.keys).id;
  if (!seal || !isOurs || (await checkSignature(files, seal)) !== 'valid') return false;
  if (seal.chain.head === chain.head) return true;
  throw new TachoError('VERIFY_FAILED', `the log of ${folder.runId} was changed after attempt ${attempt} was sealed`, {
    facts: { run_id: folder.runId, attempt },
    fix: 'Put back the run folder from a backup; tacho verify says what is wrong with it.',
  });
}

/** The ledger lists the attempt's seal: only steps after the seal are missing. */
export async function isEntered(folder: RunFolder, attempt: number, home: DataHome): Promise<boolean> {
  const listed = (await sealsOf(folder.runId, home)).filter((entry) => entry.attempt === attempt);
  const file = path.join(folder.audit, attemptFileNames(attempt).seal);
  return listed.length === 1 && isRegularFile(file) && hashFile(file, MAX_SEAL_BYTES).sha256 === listed[0]!.seal;
}

/**
 * Recovery signs what it finds on disk, so it signs only attempts that this installation began and did not finish:
 * otherwise anyone who can write to a run folder could get anything signed.
 */
export async function refuseToSign(folder: RunFolder, attempt: number, home: DataHome): Promise<void> {
  const sealed = (await sealsOf(folder.runId, home)).find((entry) => entry.attempt === attempt);
  if (sealed) {
    throw new TachoError('ALREADY_SEALED', `attempt ${attempt} of ${folder.runId} was sealed at ${sealed.at}`, {
      facts: { run_id: folder.runId, attempt, sealed_at: sealed.at },
      fix: 'Its files were changed since. Put back the run folder from a backup; tacho verify says what is wrong with it.',
    });
  }
  if (isAnnounced(home, folder)) return;
  throw new TachoError('NOT_BEGUN_HERE', `${folder.path} was not begun by this installation, or was finished by it`, {
    facts: { run_id: folder.runId, attempt },
    fix: 'Complete the record with the installation that recorded it.',
  });
}

/** Entered before the run is removed: a missing run without such an entry was not removed by tacho. */
export async function enterRemoval(run_id: string, home: DataHome): Promise<void> {
  if ((await sealsOf(run_id, home)).length === 0) return;
  await openLedger(home).append({ what: 'removed', run_id, attempt: null, seal: null });
}

/** The seals that the ledger lists for a run since its last removal. */
export async function sealsOf(runId: string, home: DataHome): Promise<LedgerEntry[]> {
  const { entries } = await openLedger(home).entriesOf(runId);
  return entries.filter(({ what }) => what !== 'removed');
}
