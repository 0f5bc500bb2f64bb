import type { AgentEvent, PromptSource } from '../../protocol/index.ts';
import type { AgentState, HistoryItem } from '../state/state.ts';
import type { LinePlace } from './log-lines.ts';

/** A message of the conversation: where its text is in the log, and not the text itself. */
export interface PromptItem {
  role: 'user' | 'assistant' | 'tool';
  source: string;
  chars: number;
  seq: number;
  /** Lines that it is made of: one for each tool result. */
  places: readonly LinePlace[];
  digest: string | null;
}

/** The messages before the conversation. */
export interface PromptHead {
  seq: number;
  place: LinePlace;
  messages: number;
  pieces: readonly PromptSource[];
}

/** The prompt of a step. Between trims it only grows, so its messages are those of a beginning and of a stretch. */
export interface PromptExtent {
  head: PromptHead | null;
  base: readonly PromptItem[];
  from: number;
  to: number;
}

/** Which messages the prompts of a run have. Cost and memory per step do not grow with the conversation. */
export class PromptItems {
  /** All messages there ever were, in order. */
  readonly #all: PromptItem[] = [];
  readonly #known = new WeakMap<HistoryItem, PromptItem>();
  #head: PromptHead | null = null;
  #base: PromptItem[] = [];
  #from = 0;
  /** Lines of results of the current turn, by call. */
  readonly #results = new Map<string, LinePlace>();
  /** Messages that were sent and are not part of the conversation yet. */
  #queued: { seq: number; place: LinePlace; when: 'now' | 'after' }[] = [];

  get size(): number {
    return this.#all.length;
  }

  /** Before the state takes the event. */
  before(event: AgentEvent, place: LinePlace): void {
    if (event.type === 'llm_response_completed') this.#results.clear();
    if (event.type === 'tool_call_finished') this.#results.set(event.data.call_id, place);
    if (event.type === 'user_message' && event.data.origin === 'send') {
      this.#queued.push({ seq: event.seq, place, when: event.data.when });
    }
  }

  /** After the state has taken it. */
  after(event: AgentEvent, place: LinePlace, state: AgentState): void {
    const isCut = event.type === 'history_trimmed' || event.type === 'history_compacted';
    const added = newItems(state.history, this.#known, { anywhere: isCut });
    const sent = this.#takeSent(added.filter(({ source }) => source === 'send').length);
    for (const item of added) {
      const text = item.source === 'send' ? sent.shift() : undefined;
      this.#add(item, text ?? this.#textOf(event, place, state));
    }
    if (isCut) {
      this.#base = state.history.map((item) => this.#known.get(item)!);
      this.#from = this.#all.length;
    }
    if (event.type === 'prompt_compiled') this.#compiled(event, place, state);
  }

  extent(): PromptExtent {
    return { head: this.#head, base: this.#base, from: this.#from, to: this.#all.length };
  }

  itemsOf({ base, from, to }: PromptExtent): PromptItem[] {
    return [...base, ...this.#all.slice(from, to)];
  }

  #add(item: HistoryItem, text: Pick<PromptItem, 'seq' | 'places'>): void {
    const { source, chars, message } = item;
    const known: PromptItem = { role: message.role as PromptItem['role'], source, chars, ...text, digest: null };
    // The text is read from the log when it is wanted.
    item.message = { ...message, content: [] } as HistoryItem['message'];
    this.#known.set(item, known);
    this.#all.push(known);
  }

  #textOf(event: AgentEvent, place: LinePlace, state: AgentState): Pick<PromptItem, 'seq' | 'places'> {
    if (event.type !== 'tool_call_finished') return { seq: event.seq, places: [place] };
    return { seq: event.seq, places: state.turn.flatMap(({ part }) => this.#results.get(part.call_id) ?? []) };
  }

  /** Those that can wait are taken last. */
  #takeSent(count: number): Pick<PromptItem, 'seq' | 'places'>[] {
    const ordered = count === this.#queued.length ? this.#queued : this.#queued.filter(({ when }) => when === 'now');
    const taken = ordered.slice(0, count);
    this.#queued = this.#queued.filter((one) => !taken.includes(one));
    return taken.map(({ seq, place }) => ({ seq, places: [place] }));
  }

  #compiled({ seq, data }: AgentEvent<'prompt_compiled'>, place: LinePlace, state: AgentState): void {
    if (data.system !== null) {
      const pieces = data.sources.filter(({ message }) => message < data.system!.length);
      this.#head = { seq, place, messages: data.system.length, pieces };
    }
    const before = this.#head?.messages ?? 0;
    for (const { message, digest } of data.sources) {
      const item = state.history[message - before];
      const known = item && this.#known.get(item);
      if (known) known.digest = digest;
    }
  }
}

/** New messages are at the end, but for a summary of those that left. */
function newItems(
  history: readonly HistoryItem[],
  known: WeakMap<HistoryItem, PromptItem>,
  { anywhere }: { anywhere: boolean },
): HistoryItem[] {
  if (anywhere) return history.filter((item) => !known.has(item));
  let first = history.length;
  while (first > 0 && !known.has(history[first - 1]!)) first--;
  return history.slice(first);
}
