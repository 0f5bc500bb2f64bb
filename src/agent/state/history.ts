import { userItem } from './messages.ts';
import type { AgentState, HistoryItem } from './state.ts';

export function pushItem(state: AgentState, item: HistoryItem): void {
  state.history.push(item);
  state.historyChars += item.chars;
}

export interface Trim {
  limit: 'messages' | 'chars';
  dropped: number;
}

/**
 * What to leave out now, or null. Half of a limit is left out at once, so that the prompts of the following steps begin
 * with the same bytes. A call is never separated from its result.
 */
export function trimNeeded({ history, historyChars, settings }: AgentState): Trim | null {
  const { history_max_messages: maxMessages, history_max_chars: maxChars } = settings;
  const limit = history.length > maxMessages ? 'messages' : historyChars > maxChars ? 'chars' : null;
  if (limit === null) return null;
  let messages = history.length;
  let chars = historyChars;
  let dropped = 0;
  let end = 0;
  for (let index = 0; index < history.length; index++) {
    const { pinned, chars: own, message } = history[index]!;
    // The last exchange stays, whatever its size: without it the model would begin again.
    if (index >= history.length - 2 || (fits() && message.role !== 'tool')) break;
    if (pinned) continue;
    messages--;
    chars -= own;
    dropped++;
    if (isCut(index + 1)) end = dropped;
  }
  return end === 0 ? null : { limit, dropped: end };

  function fits(): boolean {
    return messages <= maxMessages / 2 && chars <= maxChars / 2;
  }

  /** Whether the conversation may begin with this message. */
  function isCut(index: number): boolean {
    return history[index]?.message.role !== 'tool';
  }
}

/** Leaves out the first `dropped` messages that are not pinned. */
export function dropItems(state: AgentState, dropped: number): void {
  let left = dropped;
  state.history = state.history.filter((item) => item.pinned || left-- <= 0);
  state.historyChars = state.history.reduce((sum, { chars }) => sum + chars, 0);
  state.digested = 0;
}

/** Replaces the first `dropped` messages that are not pinned by a summary of them. */
export function compactItems(state: AgentState, dropped: number, summary: string): void {
  dropItems(state, dropped);
  const at = state.history.findIndex(({ pinned }) => !pinned);
  const item = userItem(`Summary of the conversation so far:\n\n${summary}`, 'summary');
  state.history.splice(at < 0 ? state.history.length : at, 0, item);
  state.historyChars += item.chars;
}

/** Messages that were sent become part of the conversation: all of them after a final answer, else the urgent ones. */
export function absorbQueued(state: AgentState): boolean {
  if (state.queued.length === 0) return false;
  const takesAll = state.turnEnded;
  const taken = state.queued.filter(({ when }) => takesAll || when === 'now');
  if (taken.length === 0) return false;
  state.queued = state.queued.filter((message) => !taken.includes(message));
  for (const { text } of taken) pushItem(state, userItem(text, 'send'));
  return true;
}
