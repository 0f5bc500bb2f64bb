import fs from 'node:fs';
import path from 'node:path';
import type { Approver } from '../../approvals/index.ts';
import type { Clock } from '../clock.ts';
import type { Asker, Effects } from '../loop/effects.ts';
import type { AgentOptions } from '../options.ts';
import type { Wal } from '../wal/index.ts';

type People = Pick<AgentOptions<unknown>, 'approvals' | 'human' | 'register'>;

/**
 * Who decides and answers. `later` means files beside the log. What was decided there while a run waited counts in any
 * case. A registered run is shown to people elsewhere: whatever it asks is in these files too, and the first decision
 * counts.
 */
export function openPeople(
  { approvals, human, register }: People,
  { folder, vault }: Wal,
  clock: Clock,
): Pick<Effects, 'approver' | 'asker'> {
  const hasWaited = ['approvals', 'questions'].some((name) => fs.existsSync(path.join(folder, name)));
  const isShared = hasWaited || Boolean(register);
  // Loaded with the first question: most runs ask none.
  const open = async () => {
    const { decisionsIn } = await import('../pending/run-decisions.ts');
    const now = () => new Date(clock.now()).toISOString();
    return decisionsIn(folder, { sign: (text) => vault.sign(text), now });
  };
  const approver: Approver = {
    decide: async (request, signal) => {
      const { folderApprover } = await import('../../approvals/approvers/simple-approvers.ts');
      const { sharedApprover } = await import('../../approvals/approvers/shared-approver.ts');
      const { approvals: files } = await open();
      const own = typeof approvals === 'object' ? sharedApprover(files, approvals) : folderApprover(files);
      return await own.decide(request, signal);
    },
  };
  const asker: Asker = {
    ask: async (question, signal) => {
      const { folderAsker } = await import('../../approvals/approvers/simple-approvers.ts');
      const { sharedAsker } = await import('../../approvals/approvers/shared-approver.ts');
      const { questions: files } = await open();
      const own = typeof human === 'object' ? sharedAsker(files, human) : folderAsker(files);
      return await own.ask(question, signal);
    },
  };
  return {
    approver: chosen(approvals, approver, { hasWaited, isShared }),
    asker: chosen(human, asker, { hasWaited, isShared }),
  };
}

/** Null if there is no one to ask. */
function chosen<T extends object>(
  given: T | 'later' | undefined,
  withFiles: T,
  { hasWaited, isShared }: { hasWaited: boolean; isShared: boolean },
): T | null {
  if (given === undefined) return hasWaited ? withFiles : null;
  return given === 'later' || isShared ? withFiles : given;
}
