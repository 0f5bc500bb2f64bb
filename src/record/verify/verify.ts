import { RUN_RECORD_FILE, type Seal, type VerificationAnswer } from '../../protocol/index.ts';
import type { RecordFiles } from '../record-files.ts';
import { readRunRecord } from '../run-record.ts';
import { checkSeals, checkUnsealed } from './check-seals.ts';
import { checkDerived, checkRunRecord, checkUncovered } from './check-shown.ts';
import { type Checking, type Problem, problem } from './checking.ts';
import { readSeals } from './seals.ts';
import { walkLog } from './walk-log.ts';

export type Verification = Pick<VerificationAnswer, 'verdict' | 'problems' | 'checked' | 'keys'>;

/** The rule behind them: everything that is shown is sealed, or follows from what is. */
const CHECKS: readonly ((checking: Checking) => Promise<void>)[] = [
  checkSeals,
  checkUnsealed,
  checkLastAttempt,
  checkUncovered,
  checkDerived,
  checkRunRecord,
];

/** Recomputes everything the record claims about itself, and lets others work meanwhile. Never writes. */
export async function verifyRecord(files: RecordFiles): Promise<Verification> {
  const problems: Problem[] = [];
  const seals = await sealsByAttempt(files, problems);
  // First: a run that is being recorded writes events meanwhile. Without a readable record there is nothing to compare
  // with; reading it is others' business.
  const record = await readRunRecord(files).catch(() => null);
  const log = await walkLog(files, { seals, record, problems });
  const attempts = [...new Set([...log.lastSeq.keys(), ...attemptsWithFiles(await files.names())])];
  attempts.sort((one, other) => one - other);
  const checking: Checking = { files, seals, record, log, attempts, problems, signatures: 0 };
  for (const check of CHECKS) await check(checking);
  const sealed = [...seals.values()].flatMap((seal) => seal.files);
  const changed = problems.some(({ kind }) => kind !== 'incomplete' && kind !== 'unchecked');
  return {
    verdict: changed ? 'changed' : problems.length > 0 ? 'incomplete' : 'intact',
    problems,
    checked: {
      events: log.events,
      files: sealed.length,
      bytes: sealed.reduce((sum, file) => sum + file.bytes, 0),
      attempts: attempts.length,
      signatures: checking.signatures,
    },
    keys: [...new Set([...seals.values()].map((seal) => seal.key.id))],
  };
}

async function sealsByAttempt(files: RecordFiles, problems: Problem[]): Promise<Map<number, Seal>> {
  const seals = new Map<number, Seal>();
  for (const found of await readSeals(files)) {
    if (found.kind === 'seal') seals.set(found.seal.attempt, found.seal);
    else if (found.kind === 'unreadable') problems.push(problem('signature', found.name, found.why));
    else {
      const message = `made by a newer version of tacho (${found.format}), so what it seals cannot be checked here`;
      problems.push(problem('unchecked', found.name, message));
    }
  }
  return seals;
}

/** The run record says how many attempts there were; one that left nothing at all was taken away. */
async function checkLastAttempt({ record, attempts, problems }: Checking): Promise<void> {
  const last = record?.attempt ?? 0;
  if (last === 0 || attempts.includes(last)) return;
  problems.push(problem('missing', RUN_RECORD_FILE, `names attempt ${last}, of which nothing is there`));
}

function attemptsWithFiles(names: readonly string[]): number[] {
  return names
    .map((name) => Number(/^(?:stdin|stdout|meta|fs-before)\.(\d+)\./.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0);
}
