import type { AgentEvent } from '../../protocol/index.ts';
import type { Divergence } from './divergence.ts';

/** A divergence as anyone may see it who may see the log: values as JSON, cut, and nothing that only the vault has. */
export interface PublicDivergence {
  seq: number;
  path: string;
  expected: string;
  actual: string;
  message: string;
}

const MAX_CHARS = 4000;
const HIDDEN = '(not shown: the log has this event without contents or secrets)';
/** Parts of events that are never content. */
const PLAIN =
  /^(ts|)$|^data\.(verdict|decision|step|try|finish_reason|name|call_id|usage|cost_usd|retry|budget|limit|used)\b|^data\.result\.(ok|error_kind|exit_code|retryable)$/;

/** `recorded` is the event of the log in that place, if there is one. */
export function publicDivergence(divergence: Divergence, recorded: AgentEvent | undefined): PublicDivergence {
  const { seq, path, expected, actual, message } = divergence;
  const isMasked = (recorded?.data as { exact?: string } | undefined)?.exact !== undefined;
  if (!isMasked || PLAIN.test(path)) return { seq, path, expected: show(expected), actual: show(actual), message };
  return {
    seq,
    path,
    expected: HIDDEN,
    actual: HIDDEN,
    message: `event ${seq} (${recorded!.type}): ${path} differs`,
  };
}

function show(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'missing';
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
