import type { ToolResult } from '../../protocol/index.ts';
import type { PreparedCall } from '../../tools/index.ts';
import { specNow } from '../state/source-specs.ts';
import type { CallState, ToolCallPart } from '../state/state.ts';
import type { Effects, HookOutcome, KnownCall } from './effects.ts';
import { failed } from './end-run.ts';

/** Every call of the turn that is not yet in the log gets there, with what the policy says about it. */
export async function requestCalls(effects: Effects): Promise<void> {
  const { emitter, hooks } = effects;
  for (const call of emitter.state.turn) {
    if (effects.stop.aborted) return;
    if (call.result) continue;
    if (call.requested) {
      // Of a run that was resumed: the policy of today counts.
      await knowCall(effects, call.part, { changed: call.changed, isRequested: true });
      continue;
    }
    const refusal = hooks.isEmpty || isHopeless(call.part) ? null : await askHooks(effects, call);
    const known = await knowCall(effects, call.part, { changed: call.changed });
    if (effects.stop.aborted) return;
    if (refusal) effects.prepared.set(call.part.call_id, { failure: refusal, logged: known.logged });
    requestCall(effects, call.part);
  }
  await emitter.flushSoon();
}

/** The same for calls that are known already, without waiting for anything. */
export function requestPrepared(effects: Effects): void {
  for (const { part, requested } of effects.emitter.state.turn) {
    if (!requested && effects.prepared.has(part.call_id)) requestCall(effects, part);
  }
}

function requestCall(
  { emitter, prepared, digestOf }: Effects,
  { call_id, name, arguments: given }: ToolCallPart,
): void {
  const known = prepared.get(call_id)!;
  const { input, spec, changes } = known.failure
    ? { input: given, spec: null, changes: null }
    : { ...known, input: known.call.input };
  emitter.emit('tool_call_requested', {
    step: emitter.state.step,
    call_id,
    name,
    arguments: known.logged as never,
    digest: digestOf(name, input, spec),
    ...(changes ? { changed: changes } : {}),
    verdict: known.failure ? null : known.verdict,
  });
}

interface KnowOptions {
  /** Arguments as a hook has changed them. */
  changed?: CallState['changed'];
  /** It is in the log already, judged by the tool as it was when this process began. */
  isRequested?: boolean;
}

/** Checks the arguments and asks the policy, once in each process. */
export async function knowCall(
  effects: Effects,
  part: ToolCallPart,
  { changed = null, isRequested = false }: KnowOptions = {},
): Promise<KnownCall> {
  const { prepared, tools } = effects;
  const known = changed ? undefined : prepared.get(part.call_id);
  if (known) return known;
  const found = await tools.prepare(part.name, changed ? changed.value : part.arguments);
  const hopeless = isHopeless(part) ? hopelessResult(part) : null;
  let result: KnownCall;
  if (hopeless) result = { failure: hopeless, logged: found.ok ? found.logged : hiddenUnless(found.logged, part) };
  else if (!found.ok) result = { failure: found.result, logged: found.logged };
  else result = await judged(effects, part, found, isRequested);
  prepared.set(part.call_id, result);
  return result;
}

async function judged(
  { tools, judge, emitter, stop }: Effects,
  { call_id: callId, name }: ToolCallPart,
  call: PreparedCall,
  isRequested: boolean,
): Promise<KnownCall> {
  const { tool, actions, logged } = call;
  const { hasEffects, delegates, source, description, parameters } = tool;
  const { addedRules: added, sourceSpecs } = emitter.state;
  const asked = { callId, tool: name, actions, hasEffects, ...(delegates ? { delegates } : {}), added };
  if (!tool.untrustedSchema) return { call, verdict: judge(asked), logged, spec: null, changes: null };
  const changes = source === undefined || isRequested ? null : await tools.changesOf({ id: callId, tool }, stop);
  const spec = specNow({ description, parameters }, changes ?? {});
  const foreign = source === undefined ? {} : { foreign: { known: sourceSpecs.get(name), now: spec } };
  return { call, verdict: judge({ ...asked, ...foreign }), logged, spec, changes };
}

function hiddenUnless(logged: unknown, part: ToolCallPart): unknown {
  return logged === part.arguments && part.invalid !== undefined ? { invalid_json: true } : logged;
}

/** Nothing can make such a call run. */
function isHopeless({ invalid, refused }: ToolCallPart): boolean {
  return invalid !== undefined || refused !== undefined;
}

function hopelessResult({ invalid, refused }: ToolCallPart): ToolResult {
  if (refused !== undefined) return failed('denied', `the policy denies this: ${refused}`);
  const fix = 'Call the tool again with arguments that are one JSON object.';
  return { ...failed('invalid_arguments', `the arguments are not JSON: ${invalid}. ${fix}`), retryable: true };
}

/** Hooks see the call one after the other, each what the one before has made of it. */
async function askHooks({ emitter, hooks, stop }: Effects, call: CallState): Promise<ToolResult | null> {
  const { call_id, name } = call.part;
  const outcomes = await hooks.before({ id: call_id, name, input: call.part.arguments }, stop);
  if (stop.aborted) return null;
  for (const outcome of outcomes) emitter.emit('hook_decided', hookData(call_id, 'before', outcome));
  return hookRefusal(outcomes);
}

export function hookData(call_id: string, phase: 'before' | 'after', outcome: HookOutcome) {
  const value = (outcome.outcome === 'changed' ? outcome.value : null) as never;
  return { call_id, hook: outcome.hook, phase, outcome: outcome.outcome, reason: outcome.reason, value };
}

/** A hook that fails counts as one that refuses. */
export function hookRefusal(outcomes: readonly HookOutcome[]): ToolResult | null {
  const refusal = outcomes.find(({ outcome }) => outcome !== 'changed');
  if (!refusal) return null;
  if (refusal.outcome === 'refused') return failed('hook_refused', `refused by ${refusal.hook}: ${refusal.reason}`);
  return failed('hook_failed', `${refusal.hook} failed, so the call was not carried out: ${refusal.reason}`);
}
