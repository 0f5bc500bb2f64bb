const TOTALS = ['steps', 'usage', 'cost_usd'] as const;

const BY_TYPE = {
  run_started: [
    ...['session_id', 'workspace', 'model', 'planner', 'tools', 'policy_digest', 'sandbox', 'budgets', 'settings'],
    ...['output_schema', 'parent', 'forked_from', 'sources'],
  ],
  run_forked: ['run_id', 'seq', 'wal_locator', 'workspace', 'edited', 'restored', 'not_restored'],
  run_resumed: [
    ...['session_id', 'workspace', 'changed_outside', 'policy_digest', 'tools', 'model', 'planner', 'sandbox'],
    'sources',
  ],
  user_message: ['text', 'origin', 'when', 'interrupt'],
  history_message: ['role', 'text'],
  prompt_compiled: ['step', 'messages', 'chars', 'prefix_digest', 'sources', 'system'],
  history_trimmed: ['step', 'limit', 'dropped_messages', 'kept_messages'],
  history_compacted: ['step', 'mode', 'dropped_messages', 'summary', 'usage', 'cost_usd'],
  llm_request_started: ['step', 'try', 'model', 'purpose', 'prefix_digest'],
  llm_response_delta: ['step', 'part', 'kind', 'text', 'call_id', 'name'],
  llm_response_completed: ['step', 'finish_reason', 'parts', 'usage', 'cost_usd'],
  llm_request_failed: ['step', 'try', 'error', 'retry'],
  tool_call_requested: ['step', 'call_id', 'name', 'arguments', 'digest', 'verdict', 'changed'],
  approval_requested: [
    ...['approval_id', 'run_id', 'call_id', 'tool', 'summary', 'arguments', 'actions', 'reason', 'suggested_rule'],
    'digest',
  ],
  approval_decided: ['decision', 'reason', 'rule', 'by', 'approval_id', 'digest'],
  question_asked: ['question_id', 'run_id', 'call_id', 'questions'],
  question_answered: ['answers', 'by', 'question_id'],
  hook_decided: ['call_id', 'hook', 'phase', 'outcome', 'reason', 'value'],
  tool_call_started: ['step', 'call_id', 'digest'],
  tool_call_finished: ['step', 'call_id', 'result', 'files', 'incomplete', 'artifact'],
  guard_tripped: ['guard', 'detail'],
  budget_exhausted: ['budget', 'scope', 'limit', 'used'],
  output_rejected: ['step', 'violations'],
  cancel_requested: ['reason'],
  close_requested: ['reason'],
  child_charged: ['run_id', ...TOTALS],
  run_waiting: ['approvals', 'questions'],
  run_completed: ['output', 'text', ...TOTALS],
  run_failed: ['reason', 'message', ...TOTALS],
  run_cancelled: ['reason', ...TOTALS],
} as const;

export type LogEventType = keyof typeof BY_TYPE;

/** Members of a line, besides its data. */
export const LINE_FIELDS: ReadonlySet<string> = new Set([
  ...['protocol_version', 'run_id', 'seq', 'ts', 'type', 'data', 'chain'],
]);

/** Members of the data of each event; the vault may have the exact text of any. */
export const DATA_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(BY_TYPE).map(([type, names]) => [type, new Set<string>([...names, 'exact'])]),
);

export function isLogEventType(type: string): type is LogEventType {
  return Object.hasOwn(DATA_FIELDS, type);
}
