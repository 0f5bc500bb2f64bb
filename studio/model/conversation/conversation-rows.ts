import { createDoneMarkerFilter, type DoneMarkerFilter, withoutDoneMarker } from '../../../src/conversation/index.ts';
import { type FcmpMessage, hasEnded, type RawRef, type ToolKind } from '../../../src/protocol/index.ts';

/** What every row has: its source, and the confidence of its reading. Times are since the epoch. */
interface Place {
  /** Never changes while the row grows. */
  id: string;
  /** The event that is selected with the row. */
  seq: number;
  attempt: number;
  from: number;
  to: number;
  confidence: number;
  raw_ref: RawRef;
  /** Happened in a tool call, for example in a sub-agent. */
  nested: boolean;
  /** Lines hidden here because they only repeat a message. */
  hidden: { lines: number; seq: number } | null;
}

export interface PlanItem {
  text: string;
  status: string | null;
}

type Content =
  /** `by`: a repair turn is said by tacho, not by a person. */
  | { kind: 'user'; text: string; by?: 'tacho' }
  | { kind: 'assistant'; text: string; format: string; complete: boolean }
  | { kind: 'reasoning'; text: string }
  | { kind: 'plan'; items: PlanItem[] }
  | {
      kind: 'tool';
      call_id: string;
      name: string;
      tool: ToolKind | null;
      summary: string;
      /** `unfinished`: its end was not recorded and will not follow. */
      state: 'started' | 'completed' | 'failed' | 'unfinished';
      duration: number | null;
      startedSeq: number;
      endedSeq: number | null;
    }
  /** `prompt` is null if the agent has just said the same. */
  | { kind: 'question'; interaction_id: string; prompt: string | null; choices: readonly string[]; answered: boolean }
  | { kind: 'approval'; approval_id: string; summary: string; decision: string | null; reason: string | null }
  | { kind: 'files'; created: string[]; modified: string[]; deleted: string[] }
  | { kind: 'attempt' }
  | { kind: 'end'; status: 'succeeded' | 'failed' | 'canceled'; message: string | null };

export type RowKind = Content['kind'];
export type Row<K extends RowKind = RowKind> = Place & Extract<Content, { kind: K }>;

/** Rows of the messages folded so far. A row that changes is a new object; its index and id stay. */
export interface ConversationFold {
  readonly rows: Row[];
  /** The row of each event that has one. */
  readonly rowOfSeq: Map<number, number>;
  taken: number;
  attempt: number;
  /** Rows that still grow, by the engine's id. */
  readonly messages: Map<string, number>;
  readonly filters: Map<string, DoneMarkerFilter>;
  readonly calls: Map<string, number>;
  readonly approvals: Map<string, number>;
  readonly questions: Map<string, number>;
  /** Hidden lines before the first row. */
  hidden: Place['hidden'];
}

export function emptyConversation(): ConversationFold {
  return {
    rows: [],
    rowOfSeq: new Map(),
    taken: 0,
    attempt: 1,
    messages: new Map(),
    filters: new Map(),
    calls: new Map(),
    approvals: new Map(),
    questions: new Map(),
    hidden: null,
  };
}

/** Folds the messages that were added since the last call. */
export function growConversation(fold: ConversationFold, messages: readonly FcmpMessage[]): void {
  while (fold.taken < messages.length) {
    const message = messages[fold.taken]!;
    fold.taken++;
    if (message.meta.attempt > fold.attempt) startAttempt(fold, message);
    addMessage(fold, message);
  }
}

function addMessage(fold: ConversationFold, message: FcmpMessage): void {
  switch (message.type) {
    case 'user.message':
      add(fold, message, userRow(message.data));
      return;
    case 'assistant.message.delta':
      addDelta(fold, message);
      return;
    case 'assistant.message.final':
      addFinal(fold, message);
      return;
    case 'assistant.reasoning':
      add(fold, message, { kind: 'reasoning', text: message.data.text });
      return;
    case 'assistant.plan':
      add(fold, message, { kind: 'plan', items: message.data.items.map(planItem) });
      return;
    case 'assistant.tool_call':
      addCall(fold, message);
      return;
    case 'user.input.required':
      addQuestion(fold, message);
      return;
    case 'user.input.replied':
      change(fold, fold.questions.get(message.data.interaction_id), message, 'question', { answered: true });
      return;
    case 'approval.required': {
      const { approval_id, summary } = message.data;
      const content = { kind: 'approval', approval_id, summary, decision: null, reason: null } as const;
      fold.approvals.set(approval_id, add(fold, message, content));
      return;
    }
    case 'approval.decided':
      addDecision(fold, message);
      return;
    case 'artifact.changed':
      addFile(fold, message);
      return;
    case 'diagnostic.warning':
      if (message.data.code === 'RAW_DUPLICATE_SUPPRESSED') hideLines(fold, message);
      return;
    case 'conversation.state.changed':
      // From here on the attempt is inactive.
      if (message.data.to === 'waiting_user' || hasEnded({ status: message.data.to })) endCalls(fold);
      return;
    case 'conversation.completed':
      add(fold, message, { kind: 'end', status: 'succeeded', message: null });
      return;
    case 'conversation.failed':
      add(fold, message, { kind: 'end', status: 'failed', message: message.data.error.message });
      return;
    case 'conversation.canceled':
      add(fold, message, { kind: 'end', status: 'canceled', message: null });
      return;
    case 'conversation.started':
    case 'raw.stdout':
    case 'raw.stderr':
      return;
  }
}

function add(fold: ConversationFold, message: FcmpMessage, content: Content): number {
  const { seq, meta, raw_ref, correlation, ts } = message;
  const time = Date.parse(ts);
  const place: Place = {
    id: `${seq}.${content.kind}`,
    seq: meta.rasp_seq,
    attempt: meta.attempt,
    from: time,
    to: time,
    confidence: meta.confidence,
    raw_ref,
    nested: typeof correlation.parent === 'string',
    hidden: fold.hidden,
  };
  fold.hidden = null;
  const index = fold.rows.push({ ...place, ...content }) - 1;
  fold.rowOfSeq.set(meta.rasp_seq, index);
  return index;
}

/** Replaces a row by a changed one. Does nothing if there is no row of that kind. */
function change<K extends RowKind>(
  fold: ConversationFold,
  index: number | undefined,
  { meta, ts }: FcmpMessage,
  kind: K,
  changes: Partial<Row<K>>,
): void {
  const row = index === undefined ? undefined : fold.rows[index];
  if (index === undefined || row?.kind !== kind) return;
  const confidence = Math.min(row.confidence, meta.confidence);
  fold.rows[index] = { ...row, to: Math.max(row.to, Date.parse(ts)), confidence, ...changes } as Row;
  fold.rowOfSeq.set(meta.rasp_seq, index);
}

function startAttempt(fold: ConversationFold, message: FcmpMessage): void {
  fold.attempt = message.meta.attempt;
  endCalls(fold);
  fold.messages.clear();
  fold.filters.clear();
  const index = add(fold, message, { kind: 'attempt' });
  // The divider is ours: the confidence of an engine's message does not apply to it.
  fold.rows[index] = { ...fold.rows[index]!, confidence: 1 };
}

function addDelta(fold: ConversationFold, message: FcmpMessage<'assistant.message.delta'>): void {
  const { message_id } = message.data;
  const filter = fold.filters.get(message_id) ?? createDoneMarkerFilter();
  fold.filters.set(message_id, filter);
  const text = filter.push(message.data.text);
  const index = fold.messages.get(message_id);
  const row = index === undefined ? undefined : fold.rows[index];
  if (row?.kind === 'assistant') change(fold, index, message, 'assistant', { text: row.text + text });
  else if (text !== '') {
    const content = { kind: 'assistant', text, format: 'markdown', complete: false } as const;
    fold.messages.set(message_id, add(fold, message, content));
  }
}

function addFinal(fold: ConversationFold, message: FcmpMessage<'assistant.message.final'>): void {
  const { message_id, format } = message.data;
  const text = withoutDoneMarker(message.data.text);
  const index = fold.messages.get(message_id);
  fold.messages.delete(message_id);
  fold.filters.delete(message_id);
  if (index === undefined) {
    // A done marker without other text is not shown.
    const isMarker = text.trim() === '' && message.data.text.trim() !== '';
    if (!isMarker) add(fold, message, { kind: 'assistant', text, format, complete: true });
  } else {
    const { raw_ref, meta } = message;
    change(fold, index, message, 'assistant', { text, format, complete: true, raw_ref, seq: meta.rasp_seq });
  }
}

function addCall(fold: ConversationFold, message: FcmpMessage<'assistant.tool_call'>): void {
  const { call_id, name, kind: tool = null, summary, state, duration_ms } = message.data;
  const seq = message.meta.rasp_seq;
  const index = fold.calls.get(call_id);
  const known = index === undefined ? undefined : fold.rows[index];
  if (state === 'started') {
    const call = { call_id, name, tool, summary, state, duration: null, startedSeq: seq, endedSeq: null };
    if (known) change(fold, index, message, 'tool', { summary });
    else fold.calls.set(call_id, add(fold, message, { kind: 'tool', ...call }));
    return;
  }
  fold.calls.delete(call_id);
  const ending = { summary, state, endedSeq: seq };
  if (!known) {
    const call = { call_id, name, tool, duration: duration_ms ?? null, startedSeq: seq };
    add(fold, message, { kind: 'tool', ...call, ...ending });
  } else {
    const duration = duration_ms ?? Math.max(0, Date.parse(message.ts) - known.from);
    change(fold, index, message, 'tool', { ...ending, duration });
  }
}

function endCalls(fold: ConversationFold): void {
  for (const index of fold.calls.values()) {
    const row = fold.rows[index]!;
    if (row.kind === 'tool') fold.rows[index] = { ...row, state: 'unfinished' };
  }
  fold.calls.clear();
}

function addQuestion(fold: ConversationFold, message: FcmpMessage<'user.input.required'>): void {
  const { interaction_id, prompt, questions = [] } = message.data;
  const choices = questions.flatMap((question) => question.choices.map(({ value }) => value));
  const said = fold.rows.findLast(({ kind }) => kind === 'assistant' || kind === 'user');
  const repeated = said?.kind === 'assistant' && said.text.trim() === prompt.trim();
  const content = { interaction_id, prompt: repeated ? null : prompt, choices, answered: false };
  fold.questions.set(interaction_id, add(fold, message, { kind: 'question', ...content }));
}

function addDecision(fold: ConversationFold, message: FcmpMessage<'approval.decided'>): void {
  const { approval_id, decision, reason: given } = message.data;
  const reason = typeof given === 'string' ? given : null;
  const index = fold.approvals.get(approval_id);
  if (index !== undefined) change(fold, index, message, 'approval', { decision, reason });
  else add(fold, message, { kind: 'approval', approval_id, summary: approval_id, decision, reason });
}

/** Consecutive file changes share one row. */
function addFile(fold: ConversationFold, message: FcmpMessage<'artifact.changed'>): void {
  const { path, change: how } = message.data;
  const index = fold.rows.length - 1;
  const last = fold.rows[index];
  if (last?.kind === 'files' && last.attempt === message.meta.attempt) {
    change(fold, index, message, 'files', { [how]: [...last[how], path] });
  } else add(fold, message, { kind: 'files', created: [], modified: [], deleted: [], [how]: [path] });
}

function hideLines(fold: ConversationFold, { data, meta }: FcmpMessage<'diagnostic.warning'>): void {
  const index = fold.rows.length - 1;
  const row = fold.rows[index];
  const before = row ? row.hidden : fold.hidden;
  const count = typeof data.suppressed_count === 'number' ? data.suppressed_count : 0;
  const hidden = { lines: (before?.lines ?? 0) + count, seq: before?.seq ?? meta.rasp_seq };
  if (row) fold.rows[index] = { ...row, hidden };
  else fold.hidden = hidden;
}

function planItem(item: unknown): PlanItem {
  const { text, status } = typeof item === 'object' && item !== null ? (item as Partial<Record<string, unknown>>) : {};
  const said = typeof text === 'string' ? text : typeof item === 'string' ? item : JSON.stringify(item);
  return { text: said, status: typeof status === 'string' ? status : null };
}

function userRow({ text, by }: FcmpMessage<'user.message'>['data']): Content {
  return by === undefined ? { kind: 'user', text } : { kind: 'user', text, by };
}
