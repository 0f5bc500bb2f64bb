import type { AgentEvent, PolicyVerdict } from '../../protocol/index.ts';
import type { Effects } from '../loop/effects.ts';
import { exactData } from '../run/fold-log.ts';
import type { Vault } from '../wal/index.ts';

const UNKNOWN: PolicyVerdict = { decision: 'ask', reason: 'the log does not say', rule: null, suggested_rule: null };

/** The verdicts of a policy that is not there any more, by the calls that they are about. */
export function recordedJudge(
  events: readonly AgentEvent[],
  vault: Pick<Vault, 'getJson'>,
  world: { readonly position: number },
): Effects['judge'] {
  return ({ callId, isEarly = false }) => {
    const { position } = world;
    if (isEarly) return earlyVerdict(events[position], callId, vault);
    for (let at = position; at < events.length; at++) {
      const event = events[at]!;
      if (event.type === 'run_resumed') break;
      if (event.type !== 'tool_call_requested' || event.data.call_id !== callId) continue;
      return exactData(event, vault).verdict ?? UNKNOWN;
    }
    return earlierVerdict(events.slice(0, position), callId, vault);
  };
}

/** A run that was resumed judges calls again that it has requested before. What was said then is all that the log has. */
function earlierVerdict(events: readonly AgentEvent[], callId: string, vault: Pick<Vault, 'getJson'>): PolicyVerdict {
  const event = events.findLast(({ type, data }) => {
    return type === 'tool_call_requested' && (data as { call_id: string }).call_id === callId;
  });
  return event?.type === 'tool_call_requested' ? (exactData(event, vault).verdict ?? UNKNOWN) : UNKNOWN;
}

/** A call that is refused while its arguments arrive is the last thing of a response. */
function earlyVerdict(event: AgentEvent | undefined, callId: string, vault: Pick<Vault, 'getJson'>): PolicyVerdict {
  if (event?.type !== 'llm_response_completed') return UNKNOWN;
  for (const part of exactData(event, vault).parts) {
    if (part.type !== 'tool_call' || part.call_id !== callId || part.refused === undefined) continue;
    return { ...UNKNOWN, decision: 'deny', reason: part.refused };
  }
  return UNKNOWN;
}
