import type { FcmpMessage, FcmpType } from '../../protocol/index.ts';

type Texts = { [T in FcmpType]?: (data: FcmpMessage<T>['data'], message: FcmpMessage) => string | null };

/**
 * The searchable text of a conversation: messages and tool calls. Raw output has its own search, over the attempt
 * files; a reply is found as the user message that comes with it.
 */
const texts: Texts = {
  'user.message': ({ text }) => text,
  'assistant.message.final': ({ text }) => text,
  'assistant.reasoning': ({ text }) => text,
  'assistant.plan': ({ items }) => items.map((item) => (item as { text?: string }).text ?? '').join('\n'),
  // A call has events at its start and its end; one is enough.
  'assistant.tool_call': ({ name, summary, state }, { correlation }) =>
    state === 'started' || !('started_seq' in correlation) ? `${name} ${summary}` : null,
  'user.input.required': ({ prompt }) => prompt,
  'approval.required': ({ summary }) => summary,
  'conversation.failed': ({ error }) => `${error.code} ${error.message}`,
};

const TYPE_MEMBER = Buffer.from('"type":"');
/** Everything before the type is short: version, run, numbers, time and engine. */
const HEAD_BYTES = 400;

/** The text of one line of `conversation.jsonl`; most lines are skipped without parsing. */
export function textOfLine(line: Buffer): string | null {
  const head = line.subarray(0, HEAD_BYTES);
  const at = head.indexOf(TYPE_MEMBER) + TYPE_MEMBER.length;
  const type = head.toString('latin1', at, head.indexOf(0x22, at)) as FcmpType;
  if (!Object.hasOwn(texts, type)) return null;
  const textOf = texts[type] as (data: unknown, message: FcmpMessage) => string | null;
  try {
    const message = JSON.parse(line.toString()) as FcmpMessage;
    return textOf(message.data, message)?.trim() || null;
  } catch {
    return null; // A damaged line: the rest of the conversation is still searchable.
  }
}
