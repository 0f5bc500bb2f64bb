import { TachoError } from '../../protocol/error-code.ts';
import { type AgentData, type AgentEvent, type ToolResult, toolResultSchema } from '../../protocol/index.ts';

/** What is different about the event that a run is forked at. */
export interface ForkEdit {
  /** Text of a message: of the user, of an earlier conversation, or of the model, whose calls stay. */
  message?: string | undefined;
  /** Result of a tool call; the changes to files stay. */
  result?: ToolResult | undefined;
}

/** Changes data in the same way in the log and in the vault. */
export type DataEdit = (data: AgentData) => AgentData;

/** Null if nothing is changed. Throws USAGE if the event does not have what is changed. */
export function editOf({ type, seq }: Pick<AgentEvent, 'type' | 'seq'>, edit: ForkEdit = {}): DataEdit | null {
  const { message, result } = edit;
  if (message !== undefined && result !== undefined) {
    throw misuse('an event has a message or a result, not both', 'Pass edit.message or edit.result.');
  }
  if (message !== undefined) {
    if (type === 'user_message' || type === 'history_message')
      return (data) => ({ ...data, text: message }) as AgentData;
    if (type === 'llm_response_completed') {
      return (data) => withText(data as AgentData<'llm_response_completed'>, message);
    }
    throw misuse(
      `event ${seq} is ${type}, which is not a message`,
      'Fork at a user_message, history_message or llm_response_completed event.',
    );
  }
  if (result === undefined) return null;
  if (type !== 'tool_call_finished') {
    throw misuse(`event ${seq} is ${type}, which has no result`, 'Fork at a tool_call_finished event.');
  }
  const checked = toolResultSchema.safeParse(result);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw misuse(
      `edit.result is not a result: ${issue?.path.join('.')}: ${issue?.message}`,
      'Pass all members, for example those of the recorded result with another stdout.',
    );
  }
  return (data) => ({ ...(data as AgentData<'tool_call_finished'>), result: checked.data });
}

function withText(data: AgentData<'llm_response_completed'>, message: string): AgentData<'llm_response_completed'> {
  const others = data.parts.filter(({ type }) => type !== 'text');
  const isCall = ({ type }: (typeof others)[number]) => type === 'tool_call';
  const text = { type: 'text' as const, text: message };
  // Reasoning comes first, and calls last, as models write them.
  return { ...data, parts: [...others.filter((part) => !isCall(part)), text, ...others.filter(isCall)] };
}

function misuse(what: string, fix: string): TachoError {
  return new TachoError('USAGE', what, { fix });
}
