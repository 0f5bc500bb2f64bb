import { hash } from 'node:crypto';
import type { AgentData } from '../../protocol/index.ts';
import type { PromptMessage } from '../models/model.ts';
import type { AgentState } from '../state/state.ts';
import { type Digest, type PromptPiece, sourcesOf, textOf } from './pieces.ts';

/** The prompt of a step: the head, which is the same for all steps, and the conversation. */
export function promptMessages({ head, history }: Pick<AgentState, 'head' | 'history'>): PromptMessage[] {
  const messages = headMessages(head ?? []);
  for (const { message } of history) messages.push(message);
  return messages;
}

/** The first text is the system message; skills follow as messages of the user. */
function headMessages(head: readonly string[]): PromptMessage[] {
  return head.map((text, index) =>
    index === 0 ? { role: 'system', content: text } : { role: 'user', content: [{ type: 'text', text }] },
  );
}

/**
 * The data of `prompt_compiled`. Only messages that are new are looked at, so that the cost of a step does not grow with
 * the conversation. `pieces` is the head, if it is new.
 */
export function describePrompt(
  state: AgentState,
  { step, pieces, digest }: { step: number; pieces: readonly PromptPiece[][] | null; digest: Digest },
): AgentData<'prompt_compiled'> {
  const head = pieces?.map(textOf) ?? state.head ?? [];
  const isNew = pieces !== null || state.digested === 0;
  const sources = pieces?.flatMap((own, index) => sourcesOf(own, index, digest)) ?? [];
  let prefix = state.prefixDigest;
  if (isNew) {
    prefix = '';
    for (const message of headMessages(head)) prefix = chained(prefix, digest(JSON.stringify(message)));
  }
  for (let index = isNew ? 0 : state.digested; index < state.history.length; index++) {
    const { message, source, chars } = state.history[index]!;
    const own = digest(JSON.stringify(message));
    prefix = chained(prefix, own);
    sources.push({ message: head.length + index, from: 0, to: chars, source, digest: own });
  }
  return {
    step,
    messages: head.length + state.history.length,
    chars: state.historyChars + head.reduce((sum, text) => sum + text.length, 0),
    prefix_digest: prefix,
    sources,
    system: pieces === null ? null : head,
  };
}

/** Of digests that are keyed already. */
function chained(prefix: string, own: string): string {
  return hash('sha256', prefix + own);
}
