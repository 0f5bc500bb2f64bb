import fs from 'node:fs';
import path from 'node:path';
import type { VerificationAnswer } from '../../protocol/index.ts';
import type { LedgerView } from '../../record/index.ts';
import { loadSealKey, type RunFolder, verifyRun } from '../../recording/index.ts';
import { isAnnounced } from '../attempt/live-runs.ts';
import type { DataHome } from '../data-home.ts';
import { openLedger } from './seal-and-enter.ts';

const CODES = { intact: null, changed: 'VERIFY_FAILED', incomplete: 'RECORD_INCOMPLETE' } as const;

/** Verifies a record, and compares its seals with those in this installation's ledger. */
export async function verifyInPlace(folder: RunFolder, home: DataHome): Promise<VerificationAnswer> {
  const result = await verifyRun(folder, isOwn(folder, home) ? await ledgerOf(folder, home) : null);
  return {
    run_id: folder.runId,
    code: CODES[result.verdict],
    ...result,
    foreign_keys: result.keys.filter((key) => key !== ownKey(home)),
  };
}

async function ledgerOf(folder: RunFolder, home: DataHome): Promise<LedgerView> {
  return { ...(await openLedger(home).entriesOf(folder.runId)), announced: isAnnounced(home, folder) };
}

/** A copy elsewhere is verified without the ledger, which applies only to the original location. */
export function isOwn(folder: RunFolder, { runs }: DataHome): boolean {
  return path.dirname(fs.realpathSync(folder.path)) === realpath(runs);
}

function ownKey({ keys }: DataHome): string | null {
  return fs.existsSync(path.join(keys, 'seal.ed25519.pem')) ? loadSealKey(keys).id : null;
}

function realpath(folder: string): string | null {
  try {
    return fs.realpathSync(folder);
  } catch {
    return null;
  }
}
