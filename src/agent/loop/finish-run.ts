import type { Effects } from './effects.ts';
import { failRun, totals } from './end-run.ts';

/** How often a response may be cut off before the run ends. */
const MAX_CUT_OFF = 3;

/** The model has called no tool: its answer is the result, unless it is cut off or does not fit the schema. */
export async function finishRun(effects: Effects): Promise<void> {
  const { emitter, checkOutput } = effects;
  const { state } = emitter;
  if (state.lastFinish === 'length') {
    await continueCutOff(effects);
    return;
  }
  if (state.lastText === '' && (state.lastFinish === 'content_filter' || state.lastFinish === 'error')) {
    await failRun(effects, 'model_error', `the model gave no answer: ${state.lastFinish}`);
    return;
  }
  const checked = checkOutput ? await checkOutput(state.lastText) : { value: state.lastText };
  // A message that came meanwhile is answered first.
  if (effects.stop.aborted || state.queued.length > 0) return;
  if ('violations' in checked) {
    await repairOutput(effects, checked.violations);
    return;
  }
  emitter.emit('run_completed', { output: checked.value as never, text: state.lastText, ...totals(state) });
  await emitter.flush({ durable: true });
}

/** The limit of one response says nothing about the context: the model continues in the next one. */
async function continueCutOff(effects: Effects): Promise<void> {
  const { emitter } = effects;
  if (emitter.state.cutOff > MAX_CUT_OFF) {
    await failRun(effects, 'response_cut_off', `${emitter.state.cutOff} responses in a row reached the output limit`);
    return;
  }
  await notify(effects, 'Your last message reached the output limit. Continue exactly where it stopped.');
}

async function repairOutput(effects: Effects, violations: string[]): Promise<void> {
  const { emitter } = effects;
  const list = violations.map((violation) => `- ${violation}`).join('\n');
  if (emitter.state.repairs > 0) {
    await failRun(effects, 'output_invalid', `the answer does not fit the output schema:\n${list}`);
    return;
  }
  emitter.emit('output_rejected', { step: emitter.state.step, violations });
  await notify(
    effects,
    `Your answer does not fit the output schema:\n${list}\nAnswer again, with the corrected JSON only.`,
  );
}

async function notify({ emitter }: Effects, text: string): Promise<void> {
  emitter.emit('user_message', { text, origin: 'notice', when: 'now' });
  await emitter.flush();
}
