import type { FileHandle } from 'node:fs/promises';
import { openRegularHandle } from '../../files/index.ts';
import { type AgentEvent, type AgentPrompt, type AgentPromptPart, TachoError } from '../../protocol/index.ts';
import { resultText } from '../state/messages.ts';
import type { AgentLog } from './agent-log.ts';
import { bytesAt, type LinePlace, parsedEvent } from './log-lines.ts';
import type { PromptHead, PromptItem } from './prompt-items.ts';
import { shortText } from './short-text.ts';

/** Of one part; the log has the whole. */
const MAX_PART = 20_000;
/** Of one answer: its texts are held in memory. */
const MAX_ANSWER_CHARS = 1_000_000;

export interface PromptQuery {
  /** The newest one without it. */
  step?: number | undefined;
  /** Messages after this one. */
  afterMessage: number;
  limit: number;
}

type Message = AgentPrompt['messages'][number];

/** The prompt of a step: its messages as the log has them, and which bytes came from where. */
export async function promptAnswer(log: AgentLog, { step, afterMessage, limit }: PromptQuery): Promise<AgentPrompt> {
  const { steps, prompt } = log.facts;
  const chosen = step === undefined ? steps.at(-1) : steps.find((one) => one.step === step);
  if (!chosen) {
    const what = step === undefined ? 'no prompt yet' : `no step ${step}`;
    throw new TachoError('NOT_FOUND', `the run "${log.paths.runId}" has ${what}`, { facts: { steps: steps.length } });
  }
  const { head } = chosen.extent;
  const items = prompt.itemsOf(chosen.extent);
  const total = (head?.messages ?? 0) + items.length;
  const messages: Message[] = [];
  const first = afterMessage + 1;
  const handle = await openRegularHandle(log.paths.log);
  try {
    const texts = new LogTexts(handle, log.paths.runId);
    let chars = 0;
    for (let index = first; index < Math.min(total, first + limit) && chars < MAX_ANSWER_CHARS; index++) {
      const inHead = head && index < head.messages;
      const message = inHead
        ? await headMessage(texts, head, index)
        : await itemMessage(texts, items[index - (head?.messages ?? 0)]!, index);
      messages.push(message);
      for (const { text } of message.parts) chars += text.length;
    }
  } finally {
    await handle.close();
  }
  const next = first + messages.length;
  return {
    run_id: log.paths.runId,
    step: chosen.step,
    total_messages: total,
    chars: chosen.prompt.chars,
    messages,
    next_message: next < total ? next - 1 : null,
  };
}

async function headMessage(texts: LogTexts, head: PromptHead, index: number): Promise<Message> {
  const event = await texts.event(head.place);
  const whole = (event?.type === 'prompt_compiled' ? event.data.system?.[index] : undefined) ?? '';
  const pieces = head.pieces.filter(({ message }) => message === index);
  const part = textPart('text', whole);
  return {
    index,
    role: index === 0 ? 'system' : 'user',
    seq: head.seq,
    pieces: pieces.map(({ source, from, to, digest }) => ({ source, from, to, digest })),
    // A masked secret has another length.
    is_exact: part.chars === part.text.length && whole.length === (pieces.at(-1)?.to ?? 0),
    parts: [part],
  };
}

async function itemMessage(texts: LogTexts, item: PromptItem, index: number): Promise<Message> {
  const parts: AgentPromptPart[] = [];
  for (const place of item.places) {
    const event = await texts.event(place);
    if (event) parts.push(...partsOf(event, item));
  }
  return {
    index,
    role: item.role,
    seq: item.seq,
    pieces: [{ source: item.source, from: 0, to: item.chars, digest: item.digest }],
    is_exact: true,
    parts,
  };
}

function partsOf(event: AgentEvent, { source }: PromptItem): AgentPromptPart[] {
  switch (event.type) {
    case 'user_message':
    case 'history_message':
      return [textPart('text', event.data.text)];
    case 'history_compacted':
      return [textPart('text', `Summary of the conversation so far:\n\n${event.data.summary}`)];
    case 'llm_response_completed':
      return event.data.parts.map((part) =>
        part.type === 'tool_call'
          ? { ...textPart('tool_call', JSON.stringify(part.arguments)), name: part.name, call_id: part.call_id }
          : textPart(part.type, part.text),
      );
    case 'tool_call_finished':
      return [{ ...textPart('tool_result', resultText(event.data.result)), call_id: event.data.call_id }];
    default:
      return [textPart('text', `(${source})`)];
  }
}

function textPart(kind: AgentPromptPart['kind'], text: string): AgentPromptPart {
  const short = text.length > MAX_PART ? shortText(text, MAX_PART).slice(0, -1) : text;
  return { kind, name: null, call_id: null, text: short, chars: text.length };
}

/** Events of a log by their places; the last one is kept, because a head has several messages. */
class LogTexts {
  readonly #handle: FileHandle;
  readonly #runId: string;
  #last: { place: LinePlace; event: AgentEvent | null } | null = null;

  constructor(handle: FileHandle, runId: string) {
    this.#handle = handle;
    this.#runId = runId;
  }

  /** Null if the log was changed since. */
  async event(place: LinePlace): Promise<AgentEvent | null> {
    if (this.#last?.place === place) return this.#last.event;
    const bytes = await bytesAt(this.#handle, place.byteFrom, place.byteTo - place.byteFrom);
    const parsed = parsedEvent(bytes, this.#runId);
    const event = typeof parsed === 'string' ? null : parsed;
    this.#last = { place, event };
    return event;
  }
}
