import {
  type Completion,
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  type FsChange,
  hasEnded,
  type RaspDraft,
  type RunStatus,
  type TraceSummary,
} from '../../protocol/index.ts';
import { handleOf, timestamp } from '../../recording/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import type { EndEvidence } from '../completion/end-evidence.ts';
import type { RunContext } from '../context.ts';
import { removeCancelRequest } from '../request/cancel-request.ts';
import { removePendingAttempt } from '../request/pending-attempt.ts';
import { removeStoredRequest } from '../request/stored-request.ts';
import type { SkillContract } from '../result/contract.ts';
import { writeResult } from '../result/write-result.ts';
import { hasOwnSeal, sealAndEnter } from '../seals/seal-and-enter.ts';
import { removeSkillFolder } from '../skills/skill-folder.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { AttemptLog } from './attempt-log.ts';
import {
  artifactDrafts,
  completionDraft,
  type DraftContext,
  failureDraft,
  questionDraft,
  statusDraft,
  warningDraft,
} from './drafts.ts';
import { withdrawLive } from './live-runs.ts';
import type { PreparedRun } from './prepare-run.ts';
import type { ProgramEnd } from './programs/program.ts';
import { writeMeta } from './write-meta.ts';

const APPROVAL_PENDING = 'Waiting for an approval';
const NO_QUESTION = 'The engine ended its turn without saying anything.';

/** Why a run is queued again at the end of an attempt. */
const REPAIR_REASON = 'repair_requested';

/** Reasons that say nothing about the work. */
const CANCELED = new Set(['CANCELED', 'WATCH_ENDED']);

/** `isRepaired`: a repair turn follows, whatever the attempt came to. */
export function statusOf({ state, reason_code }: Completion, { isRepaired = false } = {}): RunStatus {
  if (isRepaired) return 'queued';
  switch (state) {
    case 'completed':
      return 'succeeded';
    case 'awaiting_user_input':
      return 'waiting_user';
    case 'interrupted':
      return CANCELED.has(reason_code) ? 'canceled' : 'failed';
    case 'unknown':
      return 'failed';
  }
}

/** Warnings about the end of a terminal. */
export function terminalWarnings(
  context: DraftContext,
  ts: string,
  { terminal, trace }: { terminal: ProgramEnd['terminal']; trace: TraceSummary | null },
): RaspDraft[] {
  const warn = (code: DiagnosticCode, facts?: object) => warningDraft(context, ts, code, { ...facts });
  return [
    ...(terminal && !terminal.drained ? [warn('DRAIN_DEADLINE')] : []),
    ...(terminal?.outputProcessingRestored ? [warn('OUTPUT_PROCESSING_RESTORED')] : []),
    ...(terminal && terminal.leftBehind > 0 ? [warn('PROCESSES_LEFT_BEHIND', { processes: terminal.leftBehind })] : []),
    ...(trace && trace.coverage < 1 ? [warn('TRACE_INCOMPLETE', { coverage: trace.coverage })] : []),
  ];
}

/** The closing events that an interrupted end already wrote to the journal. */
export interface AlreadyWritten {
  completion: Completion | null;
  /** Whether the status after the completion was written. */
  status: boolean;
  /** Paths that already have an event. */
  artifacts: ReadonlySet<string>;
}

export const NOTHING_WRITTEN: AlreadyWritten = { completion: null, status: false, artifacts: new Set() };

/** The last events of an attempt: its failure, its changes to the workspace, its completion. */
function closingDrafts(
  context: DraftContext,
  facts: AttemptFacts,
  completion: Completion,
  { log, written }: { log: AttemptLog; written: AlreadyWritten },
): RaspDraft[] {
  const ts = timestamp(facts.endedAt);
  const status = statusOf(completion, facts);
  const reason_code = facts.isRepaired ? REPAIR_REASON : completion.reason_code;
  const ending = [
    ...(status === 'waiting_user' ? questionDrafts(context, ts, log.endEvidence) : []),
    statusDraft(context, ts, status, { reason_code }),
  ];
  if (written.completion) return written.status ? [] : ending;
  const attribute = (change: FsChange) => log.correlator.attribute(change);
  const artifacts = facts.diff
    ? artifactDrafts(context, ts, facts.diff, { hideSecrets: facts.hideSecrets, attribute })
    : [];
  return [
    ...(facts.error ? [failureDraft(context, ts, facts.failedStep ?? 'unknown', facts.error)] : []),
    ...artifacts.filter(({ data }) => !written.artifacts.has((data as { path: string }).path)),
    ...completion.diagnostics.filter(isNews).map((code) => warningDraft(context, ts, code, detailsOf(code, facts))),
    completionDraft(context, ts, completion, facts),
    ...ending,
  ];
}

/** The question of an engine that did not report it itself: its last message, or what it waits to be allowed. */
function questionDrafts(context: DraftContext, ts: string, evidence: EndEvidence): RaspDraft[] {
  if (evidence.question) return [];
  const [approval] = evidence.openApprovals.values();
  const asks = approval ? `${APPROVAL_PENDING}: ${approval.detail}` : evidence.lastMessage;
  return [questionDraft(context, ts, asks ?? NO_QUESTION)];
}

/** The loss of the supervisor is reported where it is detected; all other codes are reported here. */
function isNews(code: string): code is DiagnosticCode {
  return code !== 'SUPERVISOR_LOST' && Object.hasOwn(DIAGNOSTIC_CODES, code);
}

/** The violations of an invalid result, and that they fail the run unless it is repaired. */
function detailsOf(code: DiagnosticCode, { result, isRepaired }: AttemptFacts): Record<string, unknown> {
  if (code !== 'OUTPUT_INVALID' || !result) return {};
  const { violations } = result;
  const [first] = violations.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : '';
  return {
    message: `The result does not follow the contract of the skill: ${first}${more}`,
    violations,
    ...(isRepaired ? {} : { severity: 'error' }),
  };
}

interface ClosingRecord {
  run: PreparedRun;
  facts: AttemptFacts;
  log: AttemptLog;
  written: AlreadyWritten;
  drafts: DraftContext;
  completion: Completion;
  contract: SkillContract | null;
  isRepair: boolean;
}

/**
 * Last events, meta, seal, run record – in this order, so that a crash in between leaves a record that can be
 * completed, never one that looks complete.
 */
export async function sealRecord(
  { run, facts, log, written, drafts, completion, contract, isRepair }: ClosingRecord,
  { home, version }: RunContext,
): Promise<void> {
  const { folder, attempt } = run;
  await log.append(closingDrafts(drafts, facts, completion, { log, written }));
  // A recorder that died after sealing has left its meta too. A meta without our seal may be forged.
  const isSealed = facts.supervisorLost && (await hasOwnSeal({ folder, attempt, chain: log.chain }, home));
  if (!isSealed) writeMeta({ folder, attempt, facts, completion, log, version });
  const { diff, digests, result } = facts;
  if (!isSealed && contract && result) {
    const repair = facts.isRepaired ? 'requested' : isRepair ? 'done' : 'none';
    const replace = facts.supervisorLost;
    const written = writeResult({ folder, attempt, contract, result, completion, repair, replace });
    digests?.set(written.name, written.digest);
  }
  const what = facts.supervisorLost ? 'recovered' : 'sealed';
  const blobs = result?.artifacts.map(({ sha256 }) => sha256) ?? [];
  await sealAndEnter({ folder, attempt, chain: log.chain, diff, blobs, digests }, home, what);
  await leaveSealed(run, home, {
    status: statusOf(completion, facts),
    reason_code: completion.reason_code,
    asks: facts.profile.capabilities.approvals,
  });
}

interface SealedEnd {
  status: RunStatus;
  reason_code: string | undefined;
  /** Whether the engine can ask for approvals. */
  asks: boolean;
}

/** Steps after the seal of an attempt; they can be repeated. */
export async function leaveSealed(
  { folder, file }: Pick<PreparedRun, 'folder' | 'file'>,
  home: RunContext['home'],
  { status, reason_code, asks }: SealedEnd,
): Promise<void> {
  // A program that stopped waiting on purpose looks for the decision when it continues.
  const stillAsks = status === 'waiting_user' && reason_code === 'APPROVAL_PENDING';
  if (asks && !stillAsks) {
    const isOver = hasEnded({ status });
    await quietly(() => new ApprovalStore(home).expire(folder.runId, { isOver }));
  }
  // The events contain the state; from here on the record counts as sealed.
  file.setLive(null);
  if (hasEnded({ status })) {
    await quietly(() => removeStoredRequest(folder));
    await quietly(() => removeSkillFolder(home, handleOf(folder.runId)));
    // A repair turn that was decided on, but never counted.
    await quietly(() => removePendingAttempt(folder));
    removeCancelRequest(folder);
  }
  await quietly(() => withdrawLive(home, folder));
}

/** Ignores a failure that does not affect later steps. */
export async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // A later cleanup repeats it.
  }
}
