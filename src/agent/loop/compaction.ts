import type { HumanQuestion, Usage } from '../../protocol/index.ts';
import type { ModelChunk, PromptMessage } from '../models/model.ts';
import { userItem } from '../state/messages.ts';
import { type AgentState, COMPACTION_CALL } from '../state/state.ts';
import type { Effects } from './effects.ts';
import { failRun } from './end-run.ts';
import { costOf, failureOf } from './model-turn.ts';

const INSTRUCTION =
  'The conversation has become too long. Write a summary that lets another assistant continue the work without it: the task, decisions, files that were changed, what works, what is left, and facts that must not be lost. Answer with the summary only.';
/** Characters of a message that the summary is made from; results of tools can be long. */
const MAX_MESSAGE_CHARS = 8000;

/** The conversation does not fit into the model's context: summarizes it, or ends the run. */
export async function compactHistory(effects: Effects): Promise<void> {
  const { emitter } = effects;
  const { state } = emitter;
  const { on_overflow: mode } = state.settings;
  const { message } = state.overflow!;
  const dropped = droppable(state);
  if (mode === 'fail_fast' || state.request?.compacted || dropped === 0) {
    await failRun(effects, 'context_overflow', message);
    return;
  }
  if (mode === 'ask_first' && !(await isWanted(effects))) return;
  const summary = await summarize(effects);
  if (effects.stop.aborted) return;
  if ('failure' in summary) {
    await failRun(effects, 'context_overflow', `${message}; the summary failed too: ${summary.failure}`);
    return;
  }
  const { text, usage } = summary;
  const cost_usd = costOf(usage, effects.planner, state.settings);
  const data = { step: state.step, mode, dropped_messages: dropped, summary: text, usage, cost_usd };
  emitter.emit('history_compacted', data);
  await emitter.flush();
}

/** All but the last exchange, which the model needs word for word. */
function droppable({ history }: AgentState): number {
  let last = history.length - 1;
  while (last > 0 && history[last]!.message.role !== 'assistant') last--;
  return history.slice(0, Math.max(0, last)).filter(({ pinned }) => !pinned).length;
}

/** False if the run has ended, or waits for the answer. */
async function isWanted(effects: Effects): Promise<boolean> {
  const { emitter, asker, stop } = effects;
  const { state } = emitter;
  if (!asker) {
    await failRun(effects, 'config_error', 'prompt.on_overflow is ask_first, but this run cannot ask people');
    return false;
  }
  const question = questionOf(state);
  if (!state.compactionQuestion) {
    emitter.emit('question_asked', question);
    await emitter.flush({ durable: true });
  }
  let answer = state.compactionQuestion!.answer;
  if (!answer) {
    const given = await asker.ask(emitter.shown(question), stop).catch(() => null);
    if (stop.aborted || !given) return false;
    if (given === 'later') {
      emitter.emit('run_waiting', { approvals: [], questions: [question.question_id] });
      await emitter.flush({ durable: true });
      return false;
    }
    answer = given;
    emitter.emit('question_answered', { ...answer, question_id: question.question_id });
    await emitter.flush({ durable: true });
  }
  if (answer.answers[QUESTION] === 'compact') return true;
  await failRun(effects, 'context_overflow', 'the conversation does not fit, and a summary was not wanted');
  return false;
}

const QUESTION = 'compact';

function questionOf({ compactionQuestion, questions, runId }: AgentState): HumanQuestion {
  const text = 'The conversation no longer fits into the context of the model. Replace its older part by a summary?';
  const choices = [
    { value: 'compact', description: 'Summarize the older part and continue' },
    { value: 'stop', description: 'End the run' },
  ];
  return {
    question_id: compactionQuestion?.id ?? `${runId}.q${questions + 1}`,
    run_id: runId,
    call_id: COMPACTION_CALL,
    questions: [{ id: QUESTION, text, choices, allow_other: false }],
  };
}

async function summarize({
  planner,
  emitter,
  stop,
}: Effects): Promise<{ text: string; usage: Usage | null } | { failure: string }> {
  const { state } = emitter;
  emitter.emit('llm_request_started', {
    step: state.step,
    try: 1,
    model: planner.id,
    purpose: 'compaction',
    prefix_digest: state.prefixDigest,
  });
  await emitter.flush();
  const prompt: PromptMessage[] = [
    { role: 'system', content: INSTRUCTION },
    userItem(transcript(state), 'summary').message,
  ];
  let text = '';
  let usage: Usage | null = null;
  const take = (chunk: ModelChunk) => {
    if (chunk.type === 'delta' && chunk.kind === 'text') {
      text += chunk.text;
    } else if (chunk.type === 'finish') usage = chunk.usage;
  };
  try {
    for await (const chunks of planner.stream({ prompt, tools: [] }, stop)) {
      chunks.forEach(take);
      if (chunks.some(({ type }) => type === 'finish')) break;
    }
  } catch (thrown) {
    if (stop.aborted) return { failure: '' };
    const { error } = failureOf(thrown);
    emitter.emit('llm_request_failed', { step: state.step, try: 1, error, retry: null });
    return { failure: error.message };
  }
  return text.trim() === '' ? { failure: 'the summary is empty' } : { text: text.trim(), usage };
}

function transcript({ history }: AgentState): string {
  return history
    .map(({ message }) => `${message.role}: ${JSON.stringify(message.content).slice(0, MAX_MESSAGE_CHARS)}`)
    .join('\n\n');
}
