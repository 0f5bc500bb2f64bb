import { createClient } from '../../client/index.ts';
import { type Approval, type Decision, TachoError } from '../../protocol/index.ts';
import { findRun, handleOf, readRunRecord } from '../../recording/index.ts';
import { ApprovalStore, type DataHome, findServer, loadTokens } from '../../runs/index.ts';
import { cutToColumns } from '../chat/columns.ts';
import { sanitizeOneLine } from '../chat/sanitize.ts';
import type { DecideOptions } from '../commands/approvals.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { formatTime, table } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { keepColumns } from '../output/terminal-abilities.ts';

/** `tacho approvals`: requests and decisions are files, so this works with and without a server. */
export async function listApprovals(options: CommonOptions): Promise<void> {
  const approvals = new ApprovalStore(openContext(options).home).list({ status: 'pending' });
  process.stdout.write(options.json ? `${JSON.stringify({ approvals })}\n` : describeAll(approvals));
}

/** Decides; exits with 1 when another decision came first. */
export async function decideApproval(
  id: string | null,
  decision: Decision['decision'],
  options: DecideOptions,
): Promise<number> {
  const { home } = openContext(options);
  const asked = choose(id, new ApprovalStore(home));
  const { reason } = options;
  const decided = await decide(asked.approval_id, { decision, ...(reason === undefined ? {} : { reason }) }, home);
  if (options.json) process.stdout.write(`${JSON.stringify(decided)}\n`);
  else process.stdout.write(describeDecision(decided, decision) + continuation(decided, home));
  return decided.status === decision ? 0 : 1;
}

/** With a server, also continues a run whose program stopped waiting for the decision. */
async function decide(approvalId: string, decision: Decision, home: DataHome): Promise<Approval> {
  const server = findServer(home);
  if (!server) return new ApprovalStore(home).decide(approvalId, decision);
  return createClient({ url: server.url, token: loadTokens(home.root).admin }).decide(approvalId, decision);
}

function choose(id: string | null, store: ApprovalStore): Approval {
  const pending = store.list({ status: 'pending' });
  const fix = 'List pending approvals: tacho approvals';
  if (id === null) {
    if (pending.length === 1) return pending[0]!;
    const many = pending.length === 0 ? 'no approval is pending' : `${pending.length} approvals are pending`;
    throw new TachoError(pending.length === 0 ? 'APPROVAL_NOT_FOUND' : 'USAGE', many, { fix });
  }
  const found = store.list({}).filter(({ approval_id }) => approval_id === id);
  const matches = found.length > 0 ? found : pending.filter(({ approval_id }) => approval_id.startsWith(id));
  if (matches.length === 1) return matches[0]!;
  if (matches.length > 1) throw new TachoError('USAGE', `"${id}" is the beginning of several approvals`, { fix });
  throw new TachoError('APPROVAL_NOT_FOUND', `there is no approval "${id.slice(0, 100)}"`, { fix });
}

function describeAll(approvals: readonly Approval[]): string {
  if (approvals.length === 0) return 'No approvals are pending.\n';
  const rows = approvals.map(({ approval_id, run_id, requested_at, summary }) => [
    approval_id,
    handleOf(run_id),
    formatTime(requested_at),
    sanitizeOneLine(summary),
  ]);
  const [header, ...lines] = table([['APPROVAL', 'RUN', 'ASKED', 'WANTS TO'], ...rows])
    .trimEnd()
    .split('\n');
  const columns = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  const shown = [paint.dim(header!), ...lines.map((line) => keepColumns(cutToColumns(line, columns)))];
  return `${shown.join('\n')}\n\n${paint.dim('Decide with: tacho approvals allow <approval>, or deny')}\n`;
}

function describeDecision({ status, summary, run_id }: Approval, decision: Decision['decision']): string {
  const what = `${sanitizeOneLine(summary)} ${paint.dim(`· tacho show ${handleOf(run_id)}`)}\n`;
  if (status !== decision) return `${paint.yellow('–')} already ${status}: ${what}`;
  return `${decision === 'approved' ? paint.green('✔') : paint.red('✖')} ${status}: ${what}`;
}

/** Without a server, nothing starts the next attempt of a run whose program has ended. */
function continuation({ run_id, status }: Approval, home: DataHome): string {
  if (findServer(home) || (status !== 'approved' && status !== 'denied')) return '';
  try {
    const record = readRunRecord(findRun(home.runs, run_id));
    if (record.status !== 'waiting_user' || record.last?.reason_code !== 'APPROVAL_PENDING') return '';
    return `  Continue the run: tacho resume ${record.handle} ${status === 'approved' ? 'yes' : 'no'}\n`;
  } catch {
    return ''; // The run was removed or is unreadable.
  }
}
