import type { Policy } from '../../approvals/index.ts';
import type { AgentEvent, PolicyVerdict } from '../../protocol/index.ts';
import type { ToolRegistry } from '../../tools/index.ts';
import { exactData } from '../run/fold-log.ts';
import { applyEvent, type ExactEvent } from '../state/apply-event.ts';
import { type AgentState, type CallState, newState } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';

/** A call of a log, as its policy judged it then and another one judges it now. */
export interface JudgedAgain {
  seq: number;
  step: number;
  call_id: string;
  tool: string;
  /** As in the log. */
  arguments: unknown;
  was: PolicyVerdict;
  now: PolicyVerdict;
}

export interface JudgedLog {
  /** Calls that could be judged again. */
  calls: JudgedAgain[];
  /** Calls that could not, and why. */
  skipped: { seq: number; tool: string; reason: string }[];
}

export interface JudgeOptions {
  policy: Policy;
  /** Finds out what a call is about to do. */
  registry: ToolRegistry;
}

/**
 * What a policy would have decided about the calls of a log, each judged by itself: with the arguments that the model
 * gave, in the folder that the run worked in, after the rules that people added to the run. Nothing is run.
 */
export async function judgeLog(
  events: AsyncIterable<AgentEvent>,
  vault: Pick<Vault, 'getJson' | 'digest'>,
  { policy, registry }: JudgeOptions,
): Promise<JudgedLog> {
  const judged: JudgedLog = { calls: [], skipped: [] };
  let state: AgentState | null = null;
  for await (const event of events) {
    if (event.type === 'llm_response_delta') continue;
    state ??= newState(event.run_id);
    const exact = { ts: event.ts, type: event.type, data: exactData(event, vault) } as ExactEvent;
    applyEvent(state, exact, Date.parse(event.ts));
    if (event.type !== 'tool_call_requested') continue;
    const { call_id, name: tool, step, verdict: was, arguments: given } = event.data;
    const call = state.turn.find(({ part }) => part.call_id === call_id)!;
    const now = await judgeCall(call, state, { policy, registry, vault });
    if (was === null)
      judged.skipped.push({ seq: event.seq, tool, reason: 'it was rejected before the policy was asked' });
    else if (typeof now === 'string') judged.skipped.push({ seq: event.seq, tool, reason: now });
    else judged.calls.push({ seq: event.seq, step, call_id, tool, arguments: given, was, now });
  }
  return judged;
}

/** A text says why it cannot be judged. */
async function judgeCall(
  { part, changed }: CallState,
  { workspace, addedRules }: AgentState,
  { policy, registry, vault }: JudgeOptions & { vault: Pick<Vault, 'digest'> },
): Promise<PolicyVerdict | string> {
  if (!registry.get(part.name)) return 'the tool is not among those of the configuration';
  const input = changed ? changed.value : part.arguments;
  const place = { workspaceRoot: workspace, digest: (text: string) => vault.digest(text) };
  const prepared = await registry.prepare(part.name, input, place);
  if (!prepared.ok) return `the tool rejects the call: ${prepared.result.stderr}`;
  const { actions, tool } = prepared;
  return policy.evaluate({ tool: part.name, actions, hasEffects: tool.hasEffects, added: addedRules });
}
