import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile } from '../../files/index.ts';
import { attemptFileNames, type LedgerEntry, type VerificationAnswer } from '../../protocol/index.ts';
import type { Verification } from '../../record/index.ts';
import { hashFile, loadSealKey, type RunFolder, verifyRun } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import { openLedger } from './seal-and-enter.ts';

type Problem = Verification['problems'][number];

/** What is larger is not a seal, and is not read to its end. */
const LARGEST_SEAL_BYTES = 64 * 1024 * 1024;
const CODES = { intact: null, changed: 'VERIFY_FAILED', incomplete: 'RECORD_INCOMPLETE' } as const;

/** Checks a record by itself, and its seals against those the ledger of this installation lists. */
export async function verifyInPlace(folder: RunFolder, home: DataHome): Promise<VerificationAnswer> {
  const result = await verifyRun(folder);
  const entries = isOwn(folder, home) ? await openLedger(home).entriesOf(folder.runId) : [];
  const problems = [...result.problems, ...unlisted(folder, entries)];
  const changed = problems.some(({ kind }) => kind !== 'incomplete' && kind !== 'unchecked');
  const verdict = changed ? 'changed' : problems.length > 0 ? 'incomplete' : 'intact';
  return {
    run_id: folder.runId,
    code: CODES[verdict],
    ...result,
    verdict,
    problems,
    recovered: entries.filter(({ what }) => what === 'recovered').map(({ attempt }) => attempt!),
    foreign_keys: result.keys.filter((key) => key !== ownKey(home)),
  };
}

/** A copy somewhere else is checked by itself: the ledger speaks of what lies where it was recorded. */
function isOwn(folder: RunFolder, { runs }: DataHome): boolean {
  return path.dirname(fs.realpathSync(folder.path)) === realpath(runs);
}

/** What the ledger lists otherwise than it is. */
function unlisted(folder: RunFolder, entries: readonly LedgerEntry[]): Problem[] {
  const problems: Problem[] = [];
  const listed = new Map(entries.filter(({ seal }) => seal !== null).map((entry) => [entry.attempt!, entry]));
  for (const [attempt, entry] of listed) {
    const name = attemptFileNames(attempt).seal;
    const file = path.join(folder.audit, name);
    if (!isRegularFile(file)) problems.push(problem('missing', name, `missing; it was made at ${entry.at}`));
    else if (hashFile(file, LARGEST_SEAL_BYTES).sha256 !== entry.seal) {
      problems.push(
        problem('signature', name, `not the seal that was made at ${entry.at}: the attempt was sealed again`),
      );
    }
  }
  return problems;
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

function problem(kind: Problem['kind'], path: string, message: string): Problem {
  return { kind, path, byte: null, line: null, message };
}
