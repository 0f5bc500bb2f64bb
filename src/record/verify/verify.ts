import { RUN_RECORD_FILE, type VerificationAnswer } from '../../protocol/index.ts';
import type { RecordFiles } from '../record-files.ts';
import { readRunRecord } from '../run-record.ts';
import { compareWithLedger, type LedgerView } from './check-ledger.ts';
import { checkRunRecord } from './check-record.ts';
import { checkSeals, checkUnsealed } from './check-seals.ts';
import { checkDerived, checkUncovered } from './check-shown.ts';
import { type Checking, type Problem, problem } from './checking.ts';
import { parseHead } from './ledger-head.ts';
import { readLedgerProof } from './ledger-proof.ts';
import { checkReferences } from './references.ts';
import { sealsByAttempt } from './seals.ts';
import { walkLog } from './walk-log.ts';

export type Verification = Pick<
  VerificationAnswer,
  'verdict' | 'problems' | 'checked' | 'keys' | 'recovered' | 'older_than_ledger' | 'ledger_head' | 'source'
>;

/** The rule behind them: everything that is shown is sealed, or is derived from sealed data. */
const CHECKS: readonly ((checking: Checking) => Promise<void>)[] = [
  checkSeals,
  checkUnsealed,
  checkLastAttempt,
  checkUncovered,
  checkDerived,
  checkReferences,
  checkRunRecord,
];

/**
 * Recomputes everything that the record claims about itself, yielding to other work. Never writes. `ledger` is the
 * ledger's view where the record was made; elsewhere the proof exported with the record takes its place.
 */
export async function verifyRecord(files: RecordFiles, ledger: LedgerView | null = null): Promise<Verification> {
  const problems: Problem[] = [];
  const seals = await sealsByAttempt(files, problems);
  // First, because a run that is being recorded writes events meanwhile.
  const record = await readRunRecord(files).catch(() => null);
  const log = await walkLog(files, { seals, head: record?.head_seq ?? 0, problems });
  const attempts = [...new Set([...log.lastSeq.keys(), ...attemptsWithFiles(await files.names())])];
  attempts.sort((one, other) => one - other);
  const checking: Checking = { files, seals, record, log, attempts, problems, signatures: 0 };
  for (const check of CHECKS) await check(checking);
  const proof = await readLedgerProof(files, problems);
  const view = ledger ?? proof?.view ?? null;
  const listed = view && (await compareWithLedger(checking, view));
  const sealed = [...seals.values()].flatMap((seal) => seal.files);
  const keys = [...seals.values()].map((seal) => seal.key.id);
  return {
    verdict: verdictOf(problems),
    problems,
    checked: {
      events: log.events,
      files: sealed.length,
      bytes: sealed.reduce((sum, file) => sum + file.bytes, 0),
      attempts: attempts.length,
      signatures: checking.signatures,
    },
    keys: [...new Set(proof ? [...keys, parseHead(proof.head)!.key] : keys)],
    recovered: [...new Set([...(log.state?.recovered ?? []), ...(listed?.recovered ?? [])])].sort((a, b) => a - b),
    older_than_ledger: listed?.older ?? [],
    ledger_head: proof?.head ?? null,
    source: log.state?.source ?? null,
  };
}

/** `changed` takes precedence over parts that could not be checked. */
function verdictOf(problems: readonly Problem[]): Verification['verdict'] {
  if (problems.some(({ kind }) => kind !== 'incomplete' && kind !== 'unchecked')) return 'changed';
  return problems.length > 0 ? 'incomplete' : 'intact';
}

/** The run record holds the number of attempts; an attempt without any file was removed. */
async function checkLastAttempt({ record, attempts, problems }: Checking): Promise<void> {
  const last = record?.attempt ?? 0;
  if (last === 0 || attempts.includes(last)) return;
  problems.push(problem('missing', RUN_RECORD_FILE, `names attempt ${last}, which has no files`));
}

function attemptsWithFiles(names: readonly string[]): number[] {
  return names
    .map((name) => Number(/^(?:stdin|stdout|meta|fs-before)\.(\d+)\./.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0);
}
