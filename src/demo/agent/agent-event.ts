/**
 * `tacho-demo/1`: the output of the scripted agent, one JSON object per line on stdout.
 *
 *   session             always first: the format, the session to continue, the script, whether it was resumed
 *   turn_started        one turn per start of the program, numbered over the whole session
 *   thinking            a complete thought
 *   plan                the current list of steps
 *   message_delta*      pieces of a message, then
 *   message             the whole message, under the same id
 *   tool_started        a tool is called: run {command}, write_file {path, content}
 *   tool_finished       its result; `exit_code` is null for a program that could not be started or was killed
 *   approval_requested  an approval is needed; the agent waits
 *   approval_decided    the decision
 *   question            the last message of a turn that needs an answer; the answer is the prompt of the next turn
 *   turn_finished       always last, unless the program failed: the reason of the end, and the usage
 *   error               the agent gives up; the exit code is 1
 *
 * Ids are unique in one turn; approval ids everywhere. Fields may be added; a change of meaning requires a new format.
 */
export const AGENT_FORMAT = 'tacho-demo/1';

export interface PlanItem {
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
}

export interface AgentUsage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

export type TurnEnd = 'done' | 'question' | 'suspended';
export type ApprovalDecision = 'approved' | 'denied';

interface Text<T extends string> {
  type: T;
  id: string;
  text: string;
}

export type AgentEvent =
  | { type: 'session'; format: typeof AGENT_FORMAT; session_id: string; script: string; resumed: boolean }
  | { type: 'turn_started'; turn: number }
  | Text<'thinking'>
  | Text<'message_delta'>
  | Text<'message'>
  | Text<'question'>
  | { type: 'plan'; items: PlanItem[] }
  | { type: 'tool_started'; id: string; name: string; arguments: Record<string, unknown> }
  | {
      type: 'tool_finished';
      id: string;
      name: string;
      ok: boolean;
      result: string;
      exit_code?: number | null;
      duration_ms: number;
    }
  | { type: 'approval_requested'; approval_id: string; summary: string; command: readonly string[] }
  | { type: 'approval_decided'; approval_id: string; decision: ApprovalDecision; reason?: string }
  | { type: 'turn_finished'; reason: TurnEnd; usage: AgentUsage }
  | { type: 'error'; message: string };

export type Print = (event: AgentEvent) => void;
