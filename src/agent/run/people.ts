import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import type { Effects } from '../loop/effects.ts';
import type { AgentOptions } from '../options.ts';
import type { Wal } from '../wal/index.ts';

/**
 * Who decides and answers. `later` means files beside the log. What was decided there while a run waited counts in any
 * case.
 */
export async function openPeople(
  { approvals, human }: Pick<AgentOptions<unknown>, 'approvals' | 'human'>,
  { folder, vault }: Wal,
  clock: Clock,
): Promise<Pick<Effects, 'approver' | 'asker'>> {
  const hasWaited = ['approvals', 'questions'].some((name) => fs.existsSync(path.join(folder, name)));
  if (!hasWaited && approvals !== 'later' && human !== 'later')
    return { approver: approvals ?? null, asker: human ?? null };
  const { folderApprover, folderAsker } = await import('../../approvals/approvers/simple-approvers.ts');
  const { decisionsIn } = await import('../pending/run-decisions.ts');
  const now = () => new Date(clock.now()).toISOString();
  const decisions = decisionsIn(folder, { sign: (text) => vault.sign(text), now });
  const [approver, asker] = [folderApprover(decisions.approvals), folderAsker(decisions.questions)];
  if (!hasWaited)
    return {
      approver: approvals === 'later' ? approver : (approvals ?? null),
      asker: human === 'later' ? asker : (human ?? null),
    };
  return {
    approver: {
      decide: async (request, signal) => {
        const decided = await approver.decide(request, signal);
        if (decided !== 'later' || approvals === 'later') return decided;
        return approvals ? await approvals.decide(request, signal) : decided;
      },
    },
    asker: {
      ask: async (question, signal) => {
        const answered = await asker.ask(question, signal);
        if (answered !== 'later' || human === 'later') return answered;
        return human ? await human.ask(question, signal) : answered;
      },
    },
  };
}
