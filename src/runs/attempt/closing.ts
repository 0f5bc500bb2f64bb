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
import { timestamp } from '../../recording/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import type { RunContext } from '../context.ts';
import { removeCancelRequest } from '../request/cancel-request.ts';
import { removeStoredRequest } from '../request/stored-request.ts';
import { hasOwnSeal, sealAndEnter } from '../seals/seal-and-enter.ts';
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

const NO_QUESTION = 'The engine ended its turn without saying anything.';

export function statusOf({ state, reason_code }: Completion): RunStatus {
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

/** What is worth a word about how a terminal ended. */
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

/** What the journal says already of an attempt whose end itself was cut off. */
export interface AlreadyTold {
  completion: Completion | null;
  /** The status that follows the completion. */
  status: boolean;
  /** Paths that events speak of. */
  artifacts: ReadonlySet<string>;
}

export const NOTHING_TOLD: AlreadyTold = { completion: null, status: false, artifacts: new Set() };

/** The last events of an attempt: what failed, what it did to its workspace, and how it ended. */
function closingDrafts(
  context: DraftContext,
  facts: AttemptFacts,
  completion: Completion,
  { log, told }: { log: AttemptLog; told: AlreadyTold },
): RaspDraft[] {
  const ts = timestamp(facts.endedAt);
  const { lastMessage } = log.endEvidence;
  const status = statusOf(completion);
  const ending = [
    ...(status === 'waiting_user' ? [questionDraft(context, ts, lastMessage ?? NO_QUESTION)] : []),
    statusDraft(context, ts, status, { reason_code: completion.reason_code }),
  ];
  if (told.completion) return told.status ? [] : ending;
  const attribute = (change: FsChange) => log.correlator.attribute(change);
  const artifacts = facts.diff
    ? artifactDrafts(context, ts, facts.diff, { hideSecrets: facts.hideSecrets, attribute })
    : [];
  return [
    ...(facts.error ? [failureDraft(context, ts, facts.failedStep ?? 'unknown', facts.error)] : []),
    ...artifacts.filter(({ data }) => !told.artifacts.has((data as { path: string }).path)),
    ...completion.diagnostics.filter(isNews).map((code) => warningDraft(context, ts, code)),
    completionDraft(context, ts, completion, facts),
    ...ending,
  ];
}

/** The supervisor's loss is told where it is found; the rest is known here first. */
function isNews(code: string): code is DiagnosticCode {
  return code !== 'SUPERVISOR_LOST' && Object.hasOwn(DIAGNOSTIC_CODES, code);
}

interface ClosingRecord {
  run: PreparedRun;
  facts: AttemptFacts;
  log: AttemptLog;
  told: AlreadyTold;
  drafts: DraftContext;
  completion: Completion;
}

/**
 * Last events, meta, seal, run record – in this order, so that a crash in between leaves something that can be
 * completed, never something that looks whole.
 */
export async function sealRecord(
  { run, facts, log, told, drafts, completion }: ClosingRecord,
  { home, version }: RunContext,
): Promise<void> {
  const { folder, attempt } = run;
  await log.append(closingDrafts(drafts, facts, completion, { log, told }));
  // A recorder that died after it sealed has left its meta as well. One that no seal of ours covers may be anybody's.
  const isSealed = facts.supervisorLost && (await hasOwnSeal({ folder, attempt, chain: log.chain }, home));
  if (!isSealed) writeMeta({ folder, attempt, facts, completion, log, version });
  const { diff, digests } = facts;
  const what = facts.supervisorLost ? 'recovered' : 'sealed';
  await sealAndEnter({ folder, attempt, chain: log.chain, diff, digests }, home, what);
  await leaveSealed(run, home, {
    status: statusOf(completion),
    reason_code: completion.reason_code,
    asks: facts.profile.capabilities.approvals,
  });
}

interface SealedEnd {
  status: RunStatus;
  reason_code: string | undefined;
  /** The engine can ask for approvals. */
  asks: boolean;
}

/** What follows the seal of an attempt, and can be done again. */
export async function leaveSealed(
  { folder, file }: Pick<PreparedRun, 'folder' | 'file'>,
  home: RunContext['home'],
  { status, reason_code, asks }: SealedEnd,
): Promise<void> {
  // A program that stopped waiting on purpose looks for the decision when it goes on.
  const stillAsks = status === 'waiting_user' && reason_code === 'APPROVAL_PENDING';
  if (asks && !stillAsks) await quietly(() => new ApprovalStore(home).expire(folder.runId));
  // The state was told by the events; from here on the record counts as sealed.
  file.setLive(null);
  if (hasEnded({ status })) {
    await quietly(() => removeStoredRequest(folder));
    removeCancelRequest(folder);
  }
  await quietly(() => withdrawLive(home, folder));
}

/** Does something whose failure does not matter to what follows it. */
export async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // What cannot be put away now is put away when somebody looks again.
  }
}
