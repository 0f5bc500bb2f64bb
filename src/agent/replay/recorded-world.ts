import type { AgentData, AgentEvent, AgentEventType, HumanAnswer, ToolApprovalAnswer } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { CallOutcome } from '../loop/effects.ts';
import type { EventSink } from '../loop/emitter.ts';
import { type AgentModel, type ModelChunk, ModelFailure } from '../models/model.ts';
import type { Vault } from '../wal/index.ts';
import { compareEvent, Diverged } from './divergence.ts';
import { LogCursor } from './log-cursor.ts';

/** The process that is being replayed died here: nothing of it continues. */
class Abandoned extends Error {}

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/** Things that happen to a run from outside, at the moment the log says. */
export interface OutsideInputs {
  send(data: AgentData<'user_message'>): void;
  cancel(data: AgentData<'cancel_requested'>): void;
  close(data: AgentData<'close_requested'>): void;
  timeUp(data: AgentData<'budget_exhausted'>): void;
  charge(data: AgentData<'child_charged'>): void;
}

/**
 * The world as a log has it. The log is the schedule: whatever comes next in it and did not come from the loop is handed
 * to the loop then, and every event of the loop has to be the one that comes next.
 */
export class RecordedWorld {
  /** What comes next. */
  readonly cursor: LogCursor;
  readonly #vault: Pick<Vault, 'digest'>;
  #clockAt: number;
  #isAbandoned = false;
  #model: Waiter<readonly ModelChunk[]> | null = null;
  readonly #tools = new Map<string, Waiter<CallOutcome>>();
  #approver: { id: string; waiter: Waiter<ToolApprovalAnswer | 'later'> } | null = null;
  #asker: { id: string; waiter: Waiter<HumanAnswer | 'later'> } | null = null;
  #outside: OutsideInputs | null = null;
  /** Counts whatever happens, to notice when nothing does any more. */
  activity = 0;
  /** Work that takes turns of the event loop, such as loading a validator. */
  #busy = 0;

  constructor(events: readonly AgentEvent[], vault: Pick<Vault, 'getJson' | 'digest'>, from: number) {
    this.cursor = new LogCursor(events, vault, from);
    this.#vault = vault;
    this.#clockAt = from;
  }

  /** How many events are behind. */
  get position(): number {
    return this.cursor.at;
  }

  get next(): AgentEvent | undefined {
    return this.cursor.next;
  }

  connect(outside: OutsideInputs): void {
    this.#outside = outside;
    this.#pump();
  }

  get isBusy(): boolean {
    return this.#busy > 0;
  }

  async working<T>(work: Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work;
    } finally {
      this.#busy--;
      this.activity++;
    }
  }

  /** Ends the loop of a process that died, whatever it waits for. */
  abandon(): void {
    this.#isAbandoned = true;
    const error = new Abandoned('the process died here');
    this.#model?.reject(error);
    this.#approver?.waiter.reject(error);
    this.#asker?.waiter.reject(error);
    for (const waiter of this.#tools.values()) waiter.reject(error);
  }

  isAbandonment(error: unknown): boolean {
    return error instanceof Abandoned;
  }

  readonly sink: EventSink = {
    // At once, so that whatever came from outside after this event comes before the next one.
    write: (draft) => {
      this.#checkAlive();
      this.#checkWritten();
      compareEvent(this.cursor.next!, draft, this.cursor.at + 1);
      this.cursor.at++;
      this.activity++;
      this.#pump();
    },
    append: () => Promise.resolve(),
    keep: (value) => this.#vault.digest(JSON.stringify(value) ?? 'null'),
    collects: false,
  };

  readonly clock: Clock = {
    now: () => {
      this.#checkAlive();
      const event = this.cursor.events[this.#clockAt++];
      // Beyond its end the log says nothing; the comparison reports it.
      return event ? Date.parse(event.ts) : Number.MAX_SAFE_INTEGER / 1e4;
    },
    sleep: () => Promise.resolve(),
  };

  model(id: string): AgentModel {
    return { id, stream: (_, signal) => this.#stream(signal) };
  }

  async *#stream(signal: AbortSignal): AsyncGenerator<readonly ModelChunk[]> {
    const onAbort = () => this.#failModel(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        yield await new Promise<readonly ModelChunk[]>((resolve, reject) => {
          this.#model = { resolve, reject };
          this.#pump();
        });
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  execute(callId: string): Promise<CallOutcome> {
    return new Promise((resolve, reject) => {
      this.#tools.set(callId, { resolve, reject });
      this.#pump();
    });
  }

  decide(id: string): Promise<ToolApprovalAnswer | 'later'> {
    return new Promise((resolve, reject) => {
      this.#approver = { id, waiter: { resolve, reject } };
      this.#pump();
    });
  }

  ask(id: string): Promise<HumanAnswer | 'later'> {
    return new Promise((resolve, reject) => {
      this.#asker = { id, waiter: { resolve, reject } };
      this.#pump();
    });
  }

  /** Hands out what the log has next, if it is something from outside. */
  #pump(): void {
    const event = this.next;
    if (!event || this.#isAbandoned) return;
    switch (event.type) {
      case 'llm_response_delta':
        this.#giveModel([deltaOf(this.cursor.exact(event))]);
        return;
      case 'llm_response_completed':
        this.#giveModel(endOf(this.cursor.exact(event)));
        return;
      case 'llm_request_failed':
        this.#failModel(new ModelFailure(this.cursor.exact(event).error));
        return;
      case 'history_compacted': {
        const { summary, usage } = this.cursor.exact(event);
        this.#giveModel([
          { type: 'delta', kind: 'text', part: 0, text: summary },
          { type: 'finish', finish_reason: 'stop', usage },
        ]);
        return;
      }
      case 'hook_decided':
        // What the tool itself returned is not in the log, and does not matter: a hook has changed it.
        if (event.data.phase === 'after') this.#giveTool(event.data.call_id, { result: EMPTY_RESULT });
        return;
      case 'tool_call_finished': {
        const { step: _, call_id, ...outcome } = this.cursor.exact(event);
        if (this.#giveTool(call_id, outcome)) return;
        if (outcome.result.error_kind === 'unavailable') this.#takeAsker()?.reject(new Error('unavailable'));
        break;
      }
      case 'approval_decided':
        if (this.#approver?.id === event.data.approval_id) {
          const { approval_id: _, digest: __, ...answer } = this.cursor.exact(event);
          this.#takeApprover()?.resolve(answer);
          return;
        }
        break;
      case 'question_answered':
        if (this.#asker?.id === event.data.question_id) {
          const { question_id: _, ...answer } = this.cursor.exact(event);
          this.#takeAsker()?.resolve(answer);
          return;
        }
        break;
      case 'user_message':
        if (event.data.origin === 'send') {
          this.#outside?.send(this.cursor.exact(event));
          return;
        }
        break;
      case 'cancel_requested':
        this.#outside?.cancel(this.cursor.exact(event));
        return;
      case 'close_requested':
        this.#outside?.close(this.cursor.exact(event));
        return;
      case 'budget_exhausted':
        if (event.data.budget === 'wall_time') {
          this.#outside?.timeUp(event.data);
          return;
        }
        break;
      case 'child_charged':
        this.#outside?.charge(event.data);
        return;
      case 'run_resumed':
        return;
    }
    // The loop went on without an answer: it was told that the answer comes later.
    this.#takeApprover()?.resolve('later');
    this.#takeAsker()?.resolve('later');
  }

  #giveModel(chunks: readonly ModelChunk[]): void {
    const model = this.#model;
    if (!model) return;
    this.#model = null;
    this.activity++;
    model.resolve(chunks);
  }

  #failModel(error: Error): void {
    const model = this.#model;
    this.#model = null;
    model?.reject(error);
  }

  #giveTool(callId: string, outcome: CallOutcome): boolean {
    const waiter = this.#tools.get(callId);
    if (!waiter) return false;
    this.#tools.delete(callId);
    this.activity++;
    waiter.resolve(outcome);
    return true;
  }

  #takeApprover(): Waiter<ToolApprovalAnswer | 'later'> | null {
    const taken = this.#approver;
    this.#approver = null;
    return taken?.waiter ?? null;
  }

  #takeAsker(): Waiter<HumanAnswer | 'later'> | null {
    const taken = this.#asker;
    this.#asker = null;
    return taken?.waiter ?? null;
  }

  /** The process died before it wrote this: another one went on, or none. */
  #checkWritten(): void {
    if (this.next === undefined || this.next.type === 'run_resumed') throw new Abandoned('the process died here');
  }

  #checkAlive(): void {
    if (this.#isAbandoned) throw new Abandoned('the process died here');
  }
}

const EMPTY_RESULT: CallOutcome['result'] = {
  ok: true,
  stdout: '',
  stderr: '',
  exit_code: null,
  duration_ms: 0,
  truncated: false,
  data: null,
  error_kind: null,
  retryable: false,
};

function deltaOf({ kind, part, text, call_id, name }: AgentData<'llm_response_delta'>): ModelChunk {
  const begins = name === undefined ? {} : { name, ...(call_id === undefined ? {} : { call_id }) };
  return { type: 'delta', kind, part, text, ...begins };
}

/** What the provider said about each part, and the end. */
function endOf({ parts, finish_reason, usage }: AgentData<'llm_response_completed'>): ModelChunk[] {
  const chunks: ModelChunk[] = [];
  parts.forEach(({ meta }, part) => {
    if (meta !== undefined) chunks.push({ type: 'meta', part, meta: meta as NonNullable<unknown> });
  });
  return [...chunks, { type: 'finish', finish_reason, usage }];
}

/** For errors: an event that cannot be reached. */
export function stuck(next: AgentEvent | undefined, seq: number): Diverged {
  const type: AgentEventType | null = next?.type ?? null;
  const message =
    type === null
      ? 'the replay continues after the end of the log'
      : `the replay never comes to event ${seq} (${type})`;
  return new Diverged({ seq, path: '', expected: type, actual: null, message });
}
