import type { AgentData, AssistantPart, Usage } from '../../protocol/index.ts';
import type { ModelChunk } from '../models/model.ts';
import { EarlyArguments } from './early-arguments.ts';
import type { Effects } from './effects.ts';

type Delta = Extract<ModelChunk, { type: 'delta' }>;
type FinishReason = AgentData<'llm_response_completed'>['finish_reason'];

interface OpenPart {
  kind: Delta['kind'];
  text: string;
  callId: string;
  name: string;
  meta: unknown;
  /** Holds back what may be the beginning of a secret. */
  masked: { push(text: string): string; flush(): string };
  /** The text stays out of the log: the tool hides some of its arguments. */
  isHidden: boolean;
  early: EarlyArguments | null;
  refused: string | null;
}

export interface Response {
  parts: AssistantPart[];
  finishReason: FinishReason;
  usage: Usage | null;
}

/** Puts a response together from its chunks. Emits one event for each, and refuses forbidden calls while they arrive. */
export class ResponseReader {
  readonly #effects: Effects;
  readonly #step: number;
  readonly #parts: OpenPart[] = [];
  #finish: { finishReason: FinishReason; usage: Usage | null } | null = null;
  #isRefused = false;

  constructor(effects: Effects, step: number) {
    this.#effects = effects;
    this.#step = step;
  }

  /** True when no more chunks are wanted. */
  push(chunk: ModelChunk): boolean {
    switch (chunk.type) {
      case 'delta':
        this.#pushDelta(chunk);
        return this.#isRefused;
      case 'meta':
        this.#partAt(chunk.part, chunk).meta = chunk.meta;
        return false;
      case 'finish':
        this.#finish = { finishReason: chunk.finish_reason, usage: chunk.usage };
        return true;
    }
  }

  /** Null if the model stopped in the middle. */
  response(): Response | null {
    if (!this.#finish && !this.#isRefused) return null;
    const parts = this.#parts.map((part) => this.#partOf(part));
    if (this.#isRefused) return { parts, finishReason: 'refused_early', usage: this.#finish?.usage ?? null };
    return { parts, ...this.#finish! };
  }

  #pushDelta(chunk: Delta): void {
    const part = this.#partAt(chunk.part, chunk);
    part.text += chunk.text;
    const shown = part.isHidden ? '' : part.masked.push(chunk.text);
    const begins = chunk.name === undefined ? {} : { call_id: part.callId, name: part.name };
    const data = { step: this.#step, part: chunk.part, kind: chunk.kind, text: chunk.text, ...begins };
    this.#effects.emitter.emit('llm_response_delta', data, shown === chunk.text ? data : { ...data, text: shown });
    if (part.early?.push(chunk.text)) this.#refuseEarly(part);
  }

  /** Ends the response as soon as its arguments show that the policy denies the call. */
  #refuseEarly(part: OpenPart): void {
    const { tools, judge, emitter } = this.#effects;
    const early = tools.earlyActions(part.name, part.early!.complete);
    if (early === null) return;
    const verdict = judge({
      callId: part.callId,
      isEarly: true,
      tool: part.name,
      ...early,
      added: emitter.state.addedRules,
    });
    if (verdict.decision !== 'deny') return;
    part.refused = verdict.reason;
    this.#isRefused = true;
  }

  #partAt(index: number, chunk: ModelChunk): OpenPart {
    const known = this.#parts[index];
    if (known) return known;
    const { tools, textStream } = this.#effects;
    const { kind, name = '', call_id = '' } = chunk.type === 'delta' ? chunk : { kind: 'text' as const };
    const isCall = kind === 'tool_arguments';
    const part: OpenPart = {
      kind,
      text: '',
      callId: isCall ? this.#uniqueId(call_id, index) : '',
      name,
      meta: undefined,
      masked: textStream(),
      isHidden: isCall && tools.hidesArguments(name),
      early: isCall && tools.hasEarlyActions(name) ? new EarlyArguments() : null,
      refused: null,
    };
    this.#parts[index] = part;
    return part;
  }

  /** Some servers send no ids, or the same one twice. */
  #uniqueId(given: string, index: number): string {
    const isTaken = given === '' || this.#parts.some((part) => part?.callId === given);
    return isTaken ? `call_${this.#step}_${index}` : given;
  }

  #partOf({ kind, text, callId, name, meta, refused, early }: OpenPart): AssistantPart {
    const own = meta === undefined ? {} : { meta: meta as AssistantPart['meta'] & {} };
    if (kind !== 'tool_arguments') return { type: kind, text, ...own };
    const call = { type: 'tool_call' as const, call_id: callId, name, ...own };
    if (refused !== null) return { ...call, arguments: early!.complete as never, refused };
    if (text.trim() === '') return { ...call, arguments: {} };
    try {
      return { ...call, arguments: JSON.parse(text) };
    } catch (error) {
      return { ...call, arguments: text, invalid: (error as Error).message };
    }
  }
}
