import path from 'node:path';
import { isRegularFile, ownIdentity } from '../../files/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import { CONVERSATION_FILE, hasEnded, type RaspDraft } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import type { AttemptLog } from '../attempt/attempt-log.ts';
import { quietly } from '../attempt/closing.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { announceLive, withdrawLive } from '../attempt/live-runs.ts';
import type { RunContext } from '../context.ts';
import { removeCancelRequest } from '../request/cancel-request.ts';
import { removePendingAttempt } from '../request/pending-attempt.ts';
import { recordedProfile } from '../request/recorded-request.ts';
import { removeStoredRequest } from '../request/stored-request.ts';
import { sealAndEnter } from '../seals/seal-and-enter.ts';
import { removeSkillFolder } from '../skills/skill-folder.ts';
import type { RecordFile } from '../state/record-file.ts';

interface Closing {
  folder: RunFolder;
  file: RecordFile;
  context: RunContext;
}

/**
 * Ends a run without another attempt: writes its last events and a seal over them. They belong to the next attempt, so
 * the seal has its number; it covers only the files that all attempts share. Until the seal exists the run is announced
 * as live, so that recovery adds it if this process dies in between.
 */
export async function closeRun(
  { folder, file, context }: Closing,
  log: AttemptLog,
  drafts: readonly RaspDraft[],
): Promise<void> {
  const attempt = nextAttempt(folder);
  announceLive(context.home, folder);
  file.setLive({
    attempt,
    closing: true,
    supervisor: ownIdentity(),
    child: null,
    marker: '',
    started_at: null,
    capture: { mode: 'merged', reason: 'nothing is recorded', level: 'minimal' },
    env_names: [],
    secret_names: [],
  });
  try {
    await log.append(drafts);
  } catch (error) {
    await quietly(() => leave({ folder, file, context }));
    throw error;
  }
  await seal({ folder, file, context }, log.chain, 'sealed');
}

/**
 * Completes the closing of a run whose process died. False when it died before the run had ended: then nothing
 * happened.
 */
export async function completeClosing(closing: Closing, journal: Journal, claim: Claim): Promise<boolean> {
  const { folder, file } = closing;
  if (!hasEnded(file.record)) {
    leave(closing);
    return false;
  }
  if (isRegularFile(path.join(folder.audit, CONVERSATION_FILE))) {
    await ConversationFile.open(folder, journal, file.record.live!.attempt!);
  }
  await seal(closing, { seq: claim.lastSeq, head: claim.head }, 'recovered');
  return true;
}

async function seal(
  { folder, file, context }: Closing,
  chain: { seq: number; head: string },
  what: 'sealed' | 'recovered',
): Promise<void> {
  const attempt = file.record.live!.attempt!;
  // Files with the number of an attempt that never ran are not ours.
  await sealAndEnter({ folder, attempt, chain, diff: null, digests: new Map() }, context.home, what);
  if (recordedProfile(file.record).capabilities.approvals)
    new ApprovalStore(context.home).expire(folder.runId, { isOver: true });
  removePendingAttempt(folder);
  removeStoredRequest(folder);
  await quietly(() => removeSkillFolder(context.home, file.record.handle));
  removeCancelRequest(folder);
  leave({ folder, file, context });
}

/** No process writes to the run any more. */
function leave({ folder, file, context }: Closing): void {
  file.setLive(null);
  withdrawLive(context.home, folder);
}
