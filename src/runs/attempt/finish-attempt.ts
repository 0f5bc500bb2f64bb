import fs from 'node:fs';
import path from 'node:path';
import {
  attemptFileNames,
  type Completion,
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  hasEnded,
  type RunRecord,
  type RunStatus,
} from '../../protocol/index.ts';
import { loadSealKey, type RunFolder, sealAttempt, timestamp, writeRunRecord } from '../../recording/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import { analyzeCompletion } from '../completion/completion.ts';
import type { RunContext } from '../context.ts';
import { removeStoredRequest } from '../request/stored-request.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { AttemptLog } from './attempt-log.ts';
import {
  artifactDrafts,
  completionDraft,
  failureDraft,
  interactionId,
  questionDraft,
  statusDraft,
  warningDraft,
} from './drafts.ts';
import { withdrawLive } from './prepare-run.ts';
import { writeMeta } from './write-meta.ts';

export interface FinishedAttempt {
  completion: Completion;
  status: RunStatus;
}

/**
 * The end of every attempt, whether it was recorded to its end or found cut off: last events, meta, seal, run record –
 * in this order, so that a crash in between leaves something that can be completed, never something that looks whole.
 */
export async function finishAttempt(
  run: { folder: RunFolder; attempt: number; record: RunRecord },
  facts: AttemptFacts,
  log: AttemptLog,
  context: RunContext,
  /** What the journal says already, when the end itself was cut off. */
  recorded: Completion | null = null,
): Promise<FinishedAttempt> {
  const { folder, attempt, record } = run;
  const evidence = log.endEvidence;
  const completion =
    recorded ??
    analyzeCompletion({
      exit: facts,
      ...facts,
      terminalBy: facts.profile.terminalBy,
      notStarted: facts.startedAt === null ? facts.error : null,
      evidence,
    });
  const status = statusOf(completion);
  const draftContext = { attempt, engine: record.engine };
  const ts = timestamp(facts.endedAt);
  if (!recorded) {
    await log.append([
      ...(facts.error ? [failureDraft(draftContext, ts, facts.failedStep ?? 'unknown', facts.error)] : []),
      ...(facts.diff ? artifactDrafts(draftContext, ts, facts.diff, facts.hideSecrets) : []),
      ...completion.diagnostics.filter(isNews).map((code) => warningDraft(draftContext, ts, code)),
      completionDraft(draftContext, ts, completion, facts),
      ...(status === 'waiting_user' ? [questionDraft(draftContext, ts, evidence.lastMessage ?? NO_QUESTION)] : []),
      statusDraft(draftContext, ts, status, { reason_code: completion.reason_code }),
    ]);
  }
  const files = attemptFileNames(attempt);
  const exists = (name: string) => fs.existsSync(path.join(folder.audit, name));
  if (!exists(files.meta)) writeMeta({ folder, attempt, facts, completion, log, version: context.version });
  if (!exists(files.seal)) {
    sealAttempt({
      folder,
      attempt,
      key: loadSealKey(context.home.keys),
      chain: log.chain,
      diff: facts.diff,
      digests: facts.digests,
    });
  }
  // A program that stopped waiting on purpose looks for the decision when it goes on.
  const stillAsks = status === 'waiting_user' && completion.reason_code === 'APPROVAL_PENDING';
  if (facts.profile.capabilities.approvals && !stillAsks) new ApprovalStore(context.home).expire(folder.runId);
  writeRunRecord(folder, {
    ...record,
    ...(facts.profile.terminalBy === 'engine' ? { session_id: evidence.sessionId ?? record.session_id ?? null } : {}),
    status,
    question:
      status === 'waiting_user'
        ? { interaction_id: interactionId(attempt), prompt: evidence.lastMessage ?? NO_QUESTION }
        : null,
    ...(evidence.usage ? { usage: evidence.usage } : {}),
    head_seq: log.chain.seq,
    updated_at: ts,
    live: null,
    last: {
      attempt,
      exit_code: facts.exit_code,
      signal: facts.signal,
      state: completion.state,
      reason_code: completion.reason_code,
      ended_at: ts,
    },
  });
  if (hasEnded({ status })) removeStoredRequest(folder);
  withdrawLive(context.home, folder);
  return { completion, status };
}

const NO_QUESTION = 'The engine ended its turn without saying anything.';

/** The supervisor's loss is told where it is found; the rest is known here first. */
function isNews(code: string): code is DiagnosticCode {
  return code !== 'SUPERVISOR_LOST' && Object.hasOwn(DIAGNOSTIC_CODES, code);
}

function statusOf({ state, reason_code }: Completion): RunStatus {
  switch (state) {
    case 'completed':
      return 'succeeded';
    case 'awaiting_user_input':
      return 'waiting_user';
    case 'interrupted':
      return reason_code === 'CANCELED' ? 'canceled' : 'failed';
    case 'unknown':
      return 'failed';
  }
}
