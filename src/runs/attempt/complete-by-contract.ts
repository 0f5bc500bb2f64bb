import type { Completion } from '../../protocol/index.ts';
import { analyzeCompletion, type CompletionFacts } from '../completion/completion.ts';
import { isCancelRequested } from '../request/cancel-request.ts';
import { pendingRepair, writePendingAttempt } from '../request/pending-attempt.ts';
import { repairOrder } from '../result/repair-order.ts';
import { settleResult, unsettledResult } from '../result/settle-result.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { AttemptPlan } from './attempt-plan.ts';
import { type AttemptSteps, asError } from './attempt-steps.ts';
import type { AlreadyWritten } from './closing.ts';
import type { PreparedRun } from './prepare-run.ts';

/** An attempt whose program has ended. */
interface EndedAttempt {
  run: PreparedRun;
  plan: AttemptPlan;
  facts: AttemptFacts;
  log: AttemptLog;
  written: AlreadyWritten;
  steps: AttemptSteps;
}

/** Decides how the attempt ended. With a skill this depends on what it has brought about, which becomes a fact. */
export function completeByContract(
  { run, plan: { contract }, facts, log, written, steps }: EndedAttempt,
  ended: CompletionFacts,
): Completion {
  const decided = written.completion ?? analyzeCompletion(ended);
  if (!contract || decided.state === 'awaiting_user_input') return decided;
  try {
    facts.result = settleResult(contract, {
      evidence: log.endEvidence,
      audit: run.folder.audit,
      workspace: facts.cwd,
      runStartedAt: Date.parse(run.record.created_at),
      hideSecrets: facts.hideSecrets,
    });
  } catch (error) {
    steps.fail('result', asError(error));
    facts.result = unsettledResult(asError(error));
  }
  return written.completion ?? analyzeCompletion({ ...ended, violations: facts.result.violations });
}

/**
 * Whether a repair turn follows. It is stored before the events that make it count, so a crash in between leaves a run
 * without one, and never one that is promised and not there.
 */
export async function announceRepair(
  { run, plan, facts, log, written, steps }: EndedAttempt,
  completion: Completion,
): Promise<boolean> {
  const { contract, repairs, profile } = plan;
  const { folder, attempt, record } = run;
  // Decided before a recorder died.
  if (written.completion) return pendingRepair(folder) !== undefined;
  if (!contract || !repairs || !facts.result || facts.error || isCancelRequested(folder)) return false;
  const { result } = facts;
  const evidence = { sessionId: log.endEvidence.sessionId ?? record.session_id ?? null };
  const ended = { attempt, record, runDir: folder.path, completion, evidence, profile, contract, result };
  const order = repairOrder(ended, repairs);
  if (!order) return false;
  return (await steps.run('repair', () => writePendingAttempt(folder, order))) !== null;
}
