import { createClient } from '../../client/index.ts';
import { type Approval, type Decision, type PolicyRule, policyRuleSchema, TachoError } from '../../protocol/index.ts';
import { ruleText } from '../../record/index.ts';
import { findRun, handleOf, readRunRecord } from '../../recording/index.ts';
import {
  ApprovalStore,
  type DataHome,
  decideApproval as decideInStore,
  findServer,
  loadTokens,
  mirrorDecisions,
  type RunContext,
} from '../../runs/index.ts';
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
  const context = openContext(options);
  const store = new ApprovalStore(context.home);
  await mirrorDecisions(store, context);
  const approvals = store.list({ status: 'pending' });
  process.stdout.write(options.json ? `${JSON.stringify({ approvals })}\n` : describeAll(approvals));
}

/** Decides; exits with 1 when another decision came first. */
export async function decideApproval(
  id: string | null,
  decision: Decision['decision'],
  options: DecideOptions,
): Promise<number> {
  const context = openContext(options);
  const asked = choose(id, new ApprovalStore(context.home));
  const { reason, run, always } = options;
  const remember = always ? ('always' as const) : run ? ('run' as const) : undefined;
  const wanted: Decision = {
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(remember === undefined ? {} : { remember }),
  };
  const decided = await decide(asked.approval_id, wanted, context);
  if (options.json) process.stdout.write(`${JSON.stringify(decided)}\n`);
  else {
    const rule = remember && decided.status === decision ? rememberedLine(asked, remember) : '';
    process.stdout.write(describeDecision(decided, decision) + rule + continuation(decided, context.home));
  }
  return decided.status === decision ? 0 : 1;
}

/** With a server, also continues a run whose program stopped waiting for the decision. */
async function decide(approvalId: string, decision: Decision, context: RunContext): Promise<Approval> {
  const { home } = context;
  const server = findServer(home);
  if (!server) return await decideInStore(new ApprovalStore(home), approvalId, decision, context);
  return createClient({ url: server.url, token: loadTokens(home.root).admin }).decide(approvalId, decision);
}

/** What is allowed from now on without asking. */
function rememberedLine(asked: Approval, remember: 'run' | 'always'): string {
  const rule = ruleOf(asked);
  if (rule === null) return '';
  const scope = remember === 'always' ? 'Always allowed from now on' : 'Allowed in this run';
  return `  ${scope}: ${ruleText(rule)}\n`;
}

function ruleOf({ details }: Approval): PolicyRule | null {
  const rule = policyRuleSchema.safeParse((details as { suggested_rule?: unknown } | null)?.suggested_rule);
  return rule.success ? rule.data : null;
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
  const cut = (line: string) => keepColumns(cutToColumns(line, columns));
  const shown = [
    paint.dim(header!),
    ...lines.flatMap((line, at) => {
      const rule = ruleOf(approvals[at]!);
      return rule ? [cut(line), paint.dim(cut(`  --run or --always also allows ${ruleText(rule)}`))] : [cut(line)];
    }),
  ];
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
