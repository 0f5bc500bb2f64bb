import { answerQuestion, decideApproval, pendingApprovals, pendingQuestions } from '../../agent/pending/index.ts';
import { type ApprovalDecision, TachoError, type ToolApprovalAnswer } from '../../protocol/index.ts';
import type { DecideAgentOptions } from '../commands/agent.ts';
import { formatTime, printable } from '../output/format.ts';
import { workspaceOf } from './open-agent.ts';

/** `tacho agent decide [id] [answer]` */
export async function decideCommand(
  id: string | null,
  answer: string | null,
  options: DecideAgentOptions,
): Promise<void> {
  const workspaceRoot = workspaceOf(options);
  if (id === null) {
    await listPending(workspaceRoot, options);
    return;
  }
  if (/\.q\d+$/.test(id)) {
    await answerOne(workspaceRoot, id, answer, options);
    return;
  }
  const decision = decisionOf(answer, options);
  const approval = (await pendingApprovals(workspaceRoot)).find(({ request }) => request.approval_id === id);
  const rule = decision === 'approved_with_rule' ? (approval?.request.suggested_rule ?? null) : null;
  if (decision === 'approved_with_rule' && approval && rule === null) {
    throw new TachoError('USAGE', `there is no safe rule for "${printable(approval.request.summary)}"`, {
      fix: 'Approve it without --rule.',
    });
  }
  const wanted: ToolApprovalAnswer = { decision, reason: options.reason ?? null, rule, by: 'user' };
  const counted = await decideApproval(workspaceRoot, id, wanted);
  say(options, { id, ...counted }, `${id}: ${counted.decision.replaceAll('_', ' ')}`, id);
  if (counted.decision !== decision) process.stderr.write('It was decided before; the first decision counts.\n');
}

function decisionOf(answer: string | null, { session, rule, abort }: DecideAgentOptions): ApprovalDecision {
  if (abort) return 'abort';
  if (answer === 'deny') return 'denied';
  if (answer === 'approve') return rule ? 'approved_with_rule' : session ? 'approved_for_session' : 'approved';
  throw new TachoError(
    'USAGE',
    answer === null ? 'the decision is missing' : `invalid decision "${printable(answer)}"`,
    {
      fix: 'Write approve or deny.',
    },
  );
}

async function answerOne(
  workspaceRoot: string,
  id: string,
  answer: string | null,
  options: DecideAgentOptions,
): Promise<void> {
  if (answer === null)
    throw new TachoError('USAGE', 'the answer is missing', { fix: `tacho agent decide ${id} "your answer"` });
  const asked = (await pendingQuestions(workspaceRoot)).find(({ question }) => question.question_id === id);
  const [first, ...more] = asked?.question.questions ?? [];
  if (more.length > 0 && !answer.startsWith('{')) {
    throw new TachoError('USAGE', `${id} has ${more.length + 1} questions`, {
      fix: `Answer with JSON: '{"${first!.id}": "…", "${more[0]!.id}": "…"}'`,
    });
  }
  const answers = answer.startsWith('{') ? parsed(answer) : { [first?.id ?? '']: answer };
  const counted = await answerQuestion(workspaceRoot, id, answers);
  say(options, { id, ...counted }, `${id}: answered`, id);
}

function parsed(text: string): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch (error) {
    throw new TachoError('USAGE', `the answers are not JSON: ${(error as Error).message}`);
  }
}

async function listPending(workspaceRoot: string, options: DecideAgentOptions): Promise<void> {
  const approvals = await pendingApprovals(workspaceRoot);
  const questions = await pendingQuestions(workspaceRoot);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ approvals, questions })}\n`);
    return;
  }
  if (approvals.length + questions.length === 0) process.stdout.write('Nothing is pending in this folder.\n');
  for (const { request, requested_at } of approvals) {
    const rule = request.suggested_rule
      ? `\n  --rule would allow: ${JSON.stringify(request.suggested_rule.command ?? request.suggested_rule)}`
      : '';
    process.stdout.write(
      `${request.approval_id}  ${formatTime(requested_at)}  ${request.tool}\n  ${printable(request.summary)}\n  reason: ${printable(request.reason)}${rule}\n`,
    );
  }
  for (const { question, asked_at } of questions) {
    process.stdout.write(`${question.question_id}  ${formatTime(asked_at)}  question\n`);
    for (const { text, choices } of question.questions) {
      const offered = choices.length === 0 ? '' : ` (${choices.map(({ value }) => printable(value)).join(' | ')})`;
      process.stdout.write(`  ${printable(text)}${offered}\n`);
    }
  }
}

function say({ json }: DecideAgentOptions, value: unknown, text: string, id: string): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
  if (!json) process.stderr.write(`To continue: tacho agent resume ${id.replace(/\.[aq]\d+$/, '')}\n`);
}
