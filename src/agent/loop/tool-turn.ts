import type { ToolResult } from '../../protocol/index.ts';
import type { CallState } from '../state/state.ts';
import type { CallOutcome, Effects } from './effects.ts';
import { callKeyOf } from './end-run.ts';
import { type Permit, permitOf } from './gate.ts';
import { hookData, hookRefusal, requestCalls } from './request-calls.ts';

type RunPermit = Extract<Permit, { kind: 'run' }>;

/** Carries out the calls of a response: gated in their order, run beside each other where they may. */
export async function toolTurn(effects: Effects): Promise<void> {
  const { emitter, stop } = effects;
  await requestCalls(effects);
  if (stop.aborted) return;
  const ready: RunPermit[] = [];
  const waiting: Extract<Permit, { kind: 'wait' }>[] = [];
  for (const call of emitter.state.turn) {
    if (call.result) continue;
    const permit = await permitOf(effects, call);
    if (stop.aborted) return;
    switch (permit.kind) {
      case 'stop':
        return;
      case 'wait':
        waiting.push(permit);
        break;
      case 'result':
        finishCall(effects, call, { result: permit.result });
        await emitter.flushSoon();
        break;
      case 'run':
        // Not before an earlier call that has to wait: it may be meant to come first.
        if (waiting.length === 0) ready.push(permit);
    }
  }
  await runCalls(effects, ready);
  if (stop.aborted) return;
  if (waiting.length > 0) await wait(effects, waiting);
  else await checkGuards(effects);
}

async function runCalls(effects: Effects, permits: readonly RunPermit[]): Promise<void> {
  const { parallel } = effects.emitter.state.settings;
  for (let from = 0; from < permits.length && !effects.stop.aborted; ) {
    let to = from + 1;
    if (isShared(permits[from]!)) while (to < permits.length && to - from < parallel && isShared(permits[to]!)) to++;
    await runTogether(effects, permits.slice(from, to));
    from = to;
  }
}

function isShared({ prepared }: RunPermit): boolean {
  return prepared.tool.concurrency === 'shared';
}

async function runTogether(effects: Effects, permits: readonly RunPermit[]): Promise<void> {
  const { emitter, intents } = effects;
  const { step } = emitter.state;
  for (const { call } of permits) {
    emitter.emit('tool_call_started', { step, call_id: call.part.call_id, digest: call.requested!.digest });
  }
  const withEffects = permits.filter(({ prepared }) => prepared.tool.hasEffects);
  await (withEffects.length > 0 ? emitter.flush({ durable: true }) : emitter.flushSoon());
  for (const { call } of withEffects) await intents.mark(callKeyOf(step, call));
  if (permits.length === 1) await runCall(effects, permits[0]!);
  else await runBeside(effects, permits);
}

/** Nothing is left running, also if one of them cannot be recorded. */
async function runBeside(effects: Effects, permits: readonly RunPermit[]): Promise<void> {
  const settled = await Promise.allSettled(permits.map((permit) => runCall(effects, permit)));
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
}

async function runCall(effects: Effects, { call, prepared, spec, isAccepted }: RunPermit): Promise<void> {
  const { emitter, tools, stop } = effects;
  const { call_id: id, name } = call.part;
  const key = callKeyOf(emitter.state.step, call);
  const outcome = await tools.execute({ id, key, name, prepared, spec, isAccepted }, stop);
  const result = effects.hooks.isEmpty ? outcome.result : await changedResult(effects, call, outcome.result);
  finishCall(effects, call, { ...outcome, result });
  // The outcome of an effect is written at once: until then it would be unknown to another process.
  await (prepared.tool.hasEffects ? emitter.flush() : emitter.flushSoon());
}

function finishCall({ emitter }: Effects, call: CallState, outcome: CallOutcome): void {
  emitter.emit('tool_call_finished', { step: emitter.state.step, call_id: call.part.call_id, ...outcome });
}

async function changedResult(effects: Effects, { part }: CallState, result: ToolResult): Promise<ToolResult> {
  const { emitter, hooks, stop } = effects;
  const outcomes = await hooks.after({ id: part.call_id, name: part.name, result }, stop);
  for (const outcome of outcomes) emitter.emit('hook_decided', hookData(part.call_id, 'after', outcome));
  const refusal = hookRefusal(outcomes);
  if (refusal) return refusal;
  const changed = outcomes.findLast(({ outcome }) => outcome === 'changed');
  return changed?.outcome === 'changed' ? (changed.value as ToolResult) : result;
}

async function wait({ emitter }: Effects, waiting: readonly Extract<Permit, { kind: 'wait' }>[]): Promise<void> {
  const approvals = waiting.flatMap(({ approval }) => approval ?? []);
  const questions = waiting.flatMap(({ question }) => question ?? []);
  emitter.emit('run_waiting', { approvals, questions });
  await emitter.flush({ durable: true });
}

/** A model that asks for the same thing again and again will not stop by itself. */
async function checkGuards({ emitter, prepared }: Effects): Promise<void> {
  const { state } = emitter;
  prepared.clear();
  const { max_denials, no_progress_steps } = state.settings;
  const repeated = state.turn.find(({ requested }) => (state.denials.get(requested!.digest) ?? 0) >= max_denials);
  if (repeated) {
    const detail = `the model asked for ${repeated.part.name} with the same arguments after it was denied`;
    emitter.emit('guard_tripped', { guard: 'repeated_denial', detail });
  } else if (state.idleSteps >= no_progress_steps) {
    const detail = `${state.idleSteps} steps in a row repeated earlier calls with the same results`;
    emitter.emit('guard_tripped', { guard: 'no_progress', detail });
  } else return;
  await emitter.flush();
}
