import { isDeepStrictEqual } from 'node:util';
import { answersText } from '../../protocol/agent/answers.ts';
import type { PolicyRule, ToolApprovalAnswer, ToolApprovalRequest, ToolResult } from '../../protocol/index.ts';
import type { PreparedCall } from '../../tools/index.ts';
import type { CallState } from '../state/state.ts';
import type { Effects, KnownCall, PermittedCall } from './effects.ts';
import { callKeyOf, failed, failRun, UNKNOWN_OUTCOME } from './end-run.ts';

/** May a call run? `wait`: the decision will come later. `stop`: the run has ended, or is about to. */
export type Permit =
  | ({ kind: 'run'; call: CallState } & Omit<PermittedCall, 'id' | 'key' | 'name'>)
  | { kind: 'result'; result: ToolResult }
  | { kind: 'wait'; approval?: string; question?: string }
  | { kind: 'stop' };

export async function permitOf(effects: Effects, call: CallState): Promise<Permit> {
  const { emitter, intents } = effects;
  const { step } = emitter.state;
  const known = effects.prepared.get(call.part.call_id)!;
  if (known.failure) return { kind: 'result', result: known.failure };
  const { hasEffects, isRepeatable = false } = known.call.tool;
  if (call.started && hasEffects && !isRepeatable && intents.isMarked(callKeyOf(step, call))) {
    return { kind: 'result', result: failed('unknown_outcome', UNKNOWN_OUTCOME) };
  }
  if (known.call.questions) return await ask(effects, call, known.call.questions);
  if (known.verdict.decision === 'deny') return denied(known.verdict.reason);
  const { call: prepared, verdict, spec } = known;
  if (verdict.decision === 'allow') return { kind: 'run', call, prepared, spec, isAccepted: verdict.rule !== null };
  return await approval(effects, call, known);
}

function denied(reason: string): Permit {
  return { kind: 'result', result: failed('denied', `this is not allowed: ${reason}`) };
}

type Askable = Exclude<KnownCall, { failure: ToolResult }>;

async function approval(
  effects: Effects,
  call: CallState,
  { call: prepared, verdict, logged, spec }: Askable,
): Promise<Permit> {
  const { emitter, digestOf, stop } = effects;
  const { state } = emitter;
  const digest = digestOf(call.part.name, prepared.input, spec);
  const permit: Permit = { kind: 'run', call, prepared, spec, isAccepted: true };
  if (state.sessionApprovals.has(digest)) return permit;
  const request: ToolApprovalRequest = {
    approval_id: call.approval?.id ?? `${state.runId}.a${state.approvals + 1}`,
    run_id: state.runId,
    call_id: call.part.call_id,
    tool: call.part.name,
    summary: summaryOf(call.part.name, prepared, logged),
    arguments: logged as never,
    actions: prepared.actions,
    reason: verdict.reason,
    suggested_rule: verdict.suggested_rule,
    digest,
  };
  if (!call.approval) {
    emitter.emit('approval_requested', request);
    await emitter.flush({ durable: true });
    if (stop.aborted) return { kind: 'stop' };
  }
  if (call.approval!.digest !== digest) return denied('the arguments are not the ones that approval was requested for');
  if (!call.approval!.answer) {
    if (!effects.approver) {
      const why = `${request.summary} needs an approval, but there is no approver`;
      const result = failed('denied', why);
      emitter.emit('tool_call_finished', { step: state.step, call_id: call.part.call_id, result });
      await failRun(effects, 'config_error', why);
      return { kind: 'stop' };
    }
    const shown = emitter.shown(request);
    const answer = await decide(effects, shown);
    if (stop.aborted || answer === null) return { kind: 'stop' };
    if (answer === 'later') return { kind: 'wait', approval: request.approval_id };
    const checked = checkedAnswer(answer, { shown: shown.suggested_rule, exact: request.suggested_rule });
    emitter.emit('approval_decided', { ...checked, approval_id: request.approval_id, digest });
    await emitter.flush({ durable: true });
  }
  return await obey(effects, call.approval!.answer!, permit);
}

/** An approver that fails denies. */
async function decide(
  { approver, stop }: Effects,
  request: ToolApprovalRequest,
): Promise<ToolApprovalAnswer | 'later' | null> {
  try {
    return await approver!.decide(request, stop);
  } catch (error) {
    if (stop.aborted) return null;
    return {
      decision: 'denied',
      reason: `the approver failed: ${(error as Error).message}`,
      rule: null,
      by: 'approver',
    };
  }
}

/** Only the rule that was shown can be accepted. */
function checkedAnswer(
  answer: ToolApprovalAnswer,
  { shown, exact }: { shown: PolicyRule | null; exact: PolicyRule | null },
): ToolApprovalAnswer {
  if (answer.decision !== 'approved_with_rule') return { ...answer, rule: null };
  // A replay answers with what was decided: the exact one.
  const isShown = shown !== null && [shown, exact].some((rule) => isDeepStrictEqual(answer.rule ?? shown, rule));
  return isShown ? { ...answer, rule: exact } : { ...answer, decision: 'approved', rule: null };
}

async function obey(effects: Effects, { decision, reason, by }: ToolApprovalAnswer, permit: Permit): Promise<Permit> {
  switch (decision) {
    case 'approved':
    case 'approved_for_session':
    case 'approved_with_rule':
      return permit;
    case 'denied':
      return denied(`${by} denied it${reason === null ? '' : `: ${reason}`}`);
    case 'abort':
      await failRun(effects, 'aborted', `${by} ended the run${reason === null ? '' : `: ${reason}`}`);
      return { kind: 'stop' };
  }
}

const MAX_SUMMARY = 500;

function summaryOf(name: string, { actions, tool }: PreparedCall, logged: unknown): string {
  const [first, ...more] = actions;
  const rest = more.length === 0 ? '' : ` and ${more.length} more`;
  switch (first?.kind) {
    case 'shell':
      return `${first.line}${rest}`;
    case 'program':
      return `${first.argv.join(' ')}${rest}`;
    case 'input':
      return first.text === ''
        ? `wait for the terminal ${first.terminal}`
        : `type ${JSON.stringify(first.text)} into the terminal ${first.terminal}`;
    case 'read':
    case 'write':
    case 'delete':
      return `${first.kind} ${first.path}${rest}`;
    case undefined: {
      if (tool.source === undefined) return name;
      // There is nothing else to decide by.
      const given = JSON.stringify(logged);
      return `${name} ${given.length > MAX_SUMMARY ? `${given.slice(0, MAX_SUMMARY)}…` : given}`;
    }
  }
}

async function ask(
  effects: Effects,
  call: CallState,
  questions: NonNullable<PreparedCall['questions']>,
): Promise<Permit> {
  const { emitter, asker, stop } = effects;
  const { state } = emitter;
  if (!asker) return { kind: 'result', result: failed('unavailable', 'this run cannot ask people; decide yourself') };
  const question_id = call.question?.id ?? `${state.runId}.q${state.questions + 1}`;
  const question = { question_id, run_id: state.runId, call_id: call.part.call_id, questions };
  if (!call.question) {
    emitter.emit('question_asked', question);
    await emitter.flush({ durable: true });
  }
  if (!call.question!.answer) {
    const answer = await asker.ask(emitter.shown(question), stop).catch(() => null);
    if (stop.aborted) return { kind: 'stop' };
    if (answer === null) return { kind: 'result', result: failed('unavailable', 'the question could not be asked') };
    if (answer === 'later') return { kind: 'wait', question: question_id };
    emitter.emit('question_answered', { ...answer, question_id });
    await emitter.flush({ durable: true });
  }
  const { answers } = call.question!.answer!;
  const stdout = answersText(answers, questions);
  return { kind: 'result', result: { ...failed(null, ''), ok: true, stdout, data: answers } };
}
