import type { EngineProfile } from '../../engines/index.ts';
import type { Completion, ProcessIdentity, RunRecord } from '../../protocol/index.ts';
import type { EndEvidence } from '../completion/end-evidence.ts';
import { type AttemptOrder, FIRST_ATTEMPT } from '../request/attempt-order.ts';
import type { SkillContract } from './contract.ts';
import { repairMessage } from './repair-message.ts';
import type { SettledResult } from './settle-result.ts';

/** Whether and by whom the result of an attempt may be repaired. */
export interface RepairRules {
  /** How many attempts the run may have; null: any number. */
  maxAttempts: number | null;
  /** The process that carries out the repair turn; null: the queue. */
  owner: ProcessIdentity | null;
}

interface EndedAttempt {
  attempt: number;
  record: Pick<RunRecord, 'repair_attempt'>;
  runDir: string;
  completion: Completion;
  evidence: Pick<EndEvidence, 'sessionId'>;
  profile: EngineProfile;
  contract: SkillContract;
  result: SettledResult;
}

const REPAIRABLE: ReadonlySet<string> = new Set(['DONE_MARKER_MISSING', 'OUTPUT_INVALID']);

/**
 * The one repair turn of a run: it continues the engine's session and says what is wrong with the result. Null if there is
 * nothing to repair, or the run has had its turn, or the engine cannot continue.
 */
export function repairOrder(ended: EndedAttempt, { maxAttempts, owner }: RepairRules): AttemptOrder | null {
  const { attempt, record, runDir, completion, evidence, profile, contract, result } = ended;
  if (!REPAIRABLE.has(completion.reason_code) || record.repair_attempt !== undefined) return null;
  if (maxAttempts !== null && attempt >= maxAttempts) return null;
  if (!profile.capabilities.resume || evidence.sessionId === null) return null;
  const { result_json_filename: file = null } = contract.manifest.entrypoint;
  const isMarked = completion.reason_code !== 'DONE_MARKER_MISSING';
  return {
    ...FIRST_ATTEMPT,
    run: runDir,
    session: evidence.sessionId,
    text: repairMessage({ isMarked, violations: result.violations, file }),
    repair: { owner },
  };
}
