import path from 'node:path';
import { checkSince } from '../../ledger/index.ts';
import type { LedgerEntry, LedgerHead, SinceAnswer } from '../../protocol/index.ts';
import { checkHead } from '../../record/index.ts';
import { folderFiles, listRunIds, loadSealKey, runFolderAt, verifyRun } from '../../recording/index.ts';
import { isAnnounced } from '../attempt/live-runs.ts';
import type { DataHome } from '../data-home.ts';
import { openLedger } from './seal-and-enter.ts';

interface SinceOptions {
  /** Also recompute every hash of every run. */
  deep: boolean;
  onProgress?: (done: number, of: number) => void;
}

/** Verifies everything sealed against a ledger head that was stored elsewhere. */
export async function verifySince(head: LedgerHead, home: DataHome, options: SinceOptions): Promise<SinceAnswer> {
  const { entries, ...report } = await checkSince(openLedger(home), head, home.runs);
  const problems = [...report.problems];
  if (!(await isOwnHead(head, home))) {
    const message = `the head was signed with key ${head.key}, which is not this installation's`;
    problems.unshift({ run_id: null, attempt: null, message });
  }
  if (options.deep) problems.push(...(await verifyAll(entries, home, options)));
  const intact = problems.length === 0;
  return {
    code: intact ? null : 'VERIFY_FAILED',
    verdict: intact ? 'intact' : 'changed',
    since: head.size,
    ...report,
    problems,
  };
}

async function isOwnHead(head: LedgerHead, home: DataHome): Promise<boolean> {
  const port = folderFiles(runFolderAt(home.runs));
  return (await checkHead(port, head, loadSealKey(home.keys).publicKey)) === 'valid';
}

/** Verifies every byte of every run; a run that is being recorded may be incomplete. */
async function verifyAll(
  entries: readonly LedgerEntry[],
  home: DataHome,
  { onProgress }: SinceOptions,
): Promise<SinceAnswer['problems']> {
  const found: SinceAnswer['problems'] = [];
  const byRun = new Map<string, LedgerEntry[]>();
  for (const entry of entries) byRun.set(entry.run_id, [...(byRun.get(entry.run_id) ?? []), entry]);
  const began = entries[0]?.at ?? null;
  const runs = listRunIds(home.runs);
  for (const [index, runId] of runs.entries()) {
    onProgress?.(index + 1, runs.length);
    const folder = runFolderAt(path.join(home.runs, runId));
    const announced = isAnnounced(home, folder);
    const { verdict, problems } = await verifyRun(folder, { entries: byRun.get(runId) ?? [], began, announced });
    if (verdict === 'intact' || (verdict === 'incomplete' && (announced || !byRun.has(runId)))) continue;
    found.push(
      ...problems.map(({ path: file, message }) => ({ run_id: runId, attempt: null, message: `${file}: ${message}` })),
    );
  }
  return found;
}
