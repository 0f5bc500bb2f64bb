import type { FcmpMessage, FcmpType } from '../../protocol/index.ts';

type Texts = { [T in FcmpType]?: (data: FcmpMessage<T>['data'], message: FcmpMessage) => string | null };

/**
 * What of a conversation can be searched for: what people and engines said and did. Raw output has a search of its
 * own, over the attempt files; a reply is found as the user's message that comes with it.
 */
const texts: Texts = {
  'user.message': ({ text }) => text,
  'assistant.message.final': ({ text }) => text,
  'assistant.reasoning': ({ text }) => text,
  'assistant.plan': ({ items }) => items.map((item) => (item as { text?: string }).text ?? '').join('\n'),
  // A call is told of when it begins and when it ends; once is enough.
  'assistant.tool_call': ({ name, summary, state }, { correlation }) =>
    state === 'started' || !('started_seq' in correlation) ? `${name} ${summary}` : null,
  'user.input.required': ({ prompt }) => prompt,
  'approval.required': ({ summary }) => summary,
  'conversation.failed': ({ error }) => `${error.code} ${error.message}`,
};

const TYPE_MEMBER = Buffer.from('"type":"');
/** Everything before the type is short: version, run, numbers, time and engine. */
const HEAD_BYTES = 400;

/** The text of one line of `conversation.jsonl`; most lines are passed over without being parsed. */
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
    return null; // A damaged line: the rest of the conversation can be searched all the same.
  }
}
