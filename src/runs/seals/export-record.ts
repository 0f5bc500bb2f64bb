import type { Readable } from 'node:stream';
import { proofOf } from '../../ledger/index.ts';
import { type LedgerHead, type LedgerProof, TachoError } from '../../protocol/index.ts';
import { loadSealKey, type RunFolder, zipRun } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import { openLedger } from './seal-and-enter.ts';
import { isOwn } from './verify-in-place.ts';

interface ExportOptions {
  /** A ledger head that was stored elsewhere; the proof then leads back to it. */
  since?: LedgerHead | undefined;
}

/** The record as a zip, with a proof that the ledger of this installation lists its seals. */
export async function exportRecord(folder: RunFolder, home: DataHome, options: ExportOptions = {}): Promise<Readable> {
  const proof = isOwn(folder, home) ? await ledgerProof(folder, home, options) : null;
  return zipRun(folder, proof);
}

/** Null for a run without a seal, or with seals older than the ledger. */
export async function ledgerProof(
  { runId }: RunFolder,
  home: DataHome,
  { since }: ExportOptions = {},
): Promise<LedgerProof | null> {
  const proof = await proofOf(openLedger(home), { runId, key: loadSealKey(home.keys), since });
  if (proof && since && !proof.earlier) {
    throw new TachoError('VERIFY_FAILED', `the ledger has fewer entries than the ${since.size} of the head`, {
      fix: 'Entries were removed from the ledger since the head was printed. tacho verify --since names what is missing.',
    });
  }
  return proof;
}
