import type { EngineProfile } from '../../engines/index.ts';
import {
  isEvent,
  NO_USAGE,
  type RaspDraft,
  type RaspEvent,
  type RawRef,
  reportUsage,
  type Usage,
} from '../../protocol/index.ts';
import { findDoneMarkers } from './done-marker.ts';
import { type DoneSignal, findDoneSignals } from './done-signal.ts';

/** Output of an engine that shows how it ended, with its byte ranges. */
export interface Evidence {
  kind: string;
  detail: string;
  raw_ref: RawRef;
}

/** Evidence about the end of an attempt, from its events. */
export interface EndEvidence {
  /** The engine's terminal signal; null when a new turn has begun since. */
  terminal: Evidence | null;
  failure: Evidence | null;
  /** The engine ended its turn because an answer or a decision is missing. */
  waiting: Evidence | null;
  /** Approvals that outlive their program and are not decided, by their ids: those of our own agent. */
  openApprovals: Map<string, Evidence>;
  /** The question that the engine itself reported and that is not answered. */
  question: Evidence | null;
  /** Errors reported by the engine, without retries. */
  errors: (Evidence & { code: string })[];
  /** The last retry, if the engine has said and done nothing since. */
  retry: Evidence | null;
  markers: (Evidence & { legacy: boolean })[];
  doneSignal: (Evidence & { signal: DoneSignal }) | null;
  /** A done signal that says that the state is unknown. */
  undecidedSignal: Evidence | null;
  invalidSignal: Evidence | null;
  /** The assistant's last message: the question, if the attempt ends with one. */
  lastMessage: string | null;
  /** The last message with a done marker, and the one before it. */
  marked: { final: string; before: string | null } | null;
  sessionId: string | null;
  model: string | null;
  /** Usage of this attempt alone, from its own events. */
  usage: Usage | null;
  /** Number of units read from a fallback log, and of units that were not understood. */
  fallbacks: number;
  unknown: number;
}

/** Our own agent keeps its requests in its log, so they outlive its program. */
const AGENT_ENGINE = 'agent';
/** More errors would add no information. */
const MAX_ERRORS = 50;

/** Collects evidence from events, the same way live and in replay. */
export class EndObserver {
  readonly evidence: EndEvidence = {
    terminal: null,
    failure: null,
    waiting: null,
    openApprovals: new Map(),
    question: null,
    errors: [],
    retry: null,
    markers: [],
    doneSignal: null,
    undecidedSignal: null,
    invalidSignal: null,
    lastMessage: null,
    marked: null,
    sessionId: null,
    model: null,
    usage: null,
    fallbacks: 0,
    unknown: 0,
  };
  readonly #signals: EngineProfile['signals'];
  #tally = NO_USAGE;

  constructor({ signals }: Pick<EngineProfile, 'signals'>) {
    this.#signals = signals;
  }

  observe(events: readonly (RaspEvent | RaspDraft)[]): void {
    for (const event of events) if (event.source.stream !== null) this.#observe(event as RaspEvent);
  }

  #observe(event: RaspEvent): void {
    if (event.event.category === 'agent' || event.event.category === 'tool') this.evidence.retry = null;
    if (isEvent(event, 'lifecycle.run.status')) this.#status(event);
    else if (isEvent(event, 'agent.message.final')) this.#message(event);
    else if (event.event.category === 'interaction') this.#interaction(event);
    else if (isEvent(event, 'diagnostic.engine.error')) this.#error(event);
    else if (isEvent(event, 'diagnostic.parser.warning')) this.#warning(event.data.code);
    else if (isEvent(event, 'raw.stdout') || isEvent(event, 'raw.stderr') || isEvent(event, 'raw.pty')) {
      this.#signal(event.data.text, event.raw_ref);
    }
  }

  #status({ data, raw_ref }: RaspEvent<'lifecycle.run.status'>): void {
    const { evidence } = this;
    evidence.sessionId = data.session_id ?? evidence.sessionId;
    evidence.model = data.model ?? evidence.model;
    this.#tally = reportUsage(this.#tally, data);
    evidence.usage = this.#tally.own;
    const phase = data.phase ?? '';
    if (this.#signals.started.includes(phase)) {
      evidence.terminal = null;
      evidence.failure = null;
      evidence.waiting = null;
    }
    if (this.#signals.terminal.includes(phase)) evidence.terminal = { kind: 'terminal', detail: phase, raw_ref };
    if (this.#signals.waiting?.includes(phase)) evidence.waiting = { kind: 'waiting', detail: phase, raw_ref };
    if (this.#signals.failed.includes(phase)) evidence.failure = { kind: 'failure', detail: phase, raw_ref };
  }

  /** What a child agent asks does not keep the run waiting. */
  #interaction(event: RaspEvent): void {
    const { evidence } = this;
    const { raw_ref, correlation } = event;
    if (correlation?.parent !== undefined) return;
    if (isEvent(event, 'interaction.user_input.required')) {
      evidence.question = { kind: 'question', detail: event.data.interaction_id, raw_ref };
    } else if (isEvent(event, 'interaction.reply.accepted')) {
      if (evidence.question?.detail === event.data.interaction_id) evidence.question = null;
    } else if (isEvent(event, 'interaction.approval.requested')) {
      const { approval_id, summary, agent } = event.data;
      if (agent !== undefined || event.source.engine === AGENT_ENGINE)
        evidence.openApprovals.set(approval_id, { kind: 'approval', detail: summary, raw_ref });
    } else if (isEvent(event, 'interaction.approval.decided')) evidence.openApprovals.delete(event.data.approval_id);
  }

  #message({ data, raw_ref }: RaspEvent<'agent.message.final'>): void {
    const { evidence } = this;
    const markers = findDoneMarkers(data.text);
    if (markers.length > 0) evidence.marked = { final: data.text, before: evidence.lastMessage };
    if (data.text.trim() !== '') evidence.lastMessage = data.text;
    for (const { text, legacy } of markers) {
      evidence.markers.push({ kind: 'marker', detail: text, legacy, raw_ref });
    }
    this.#signal(data.text, raw_ref);
  }

  #error({ data, raw_ref }: RaspEvent<'diagnostic.engine.error'>): void {
    if (data.code === 'ENGINE_RETRY')
      this.evidence.retry = { kind: 'retry', detail: data.message.slice(0, 500), raw_ref };
    if (data.severity !== 'error') return;
    const error = { kind: 'error', code: data.code, detail: data.message.slice(0, 500), raw_ref };
    if (this.evidence.errors.length === MAX_ERRORS) this.evidence.errors.pop();
    this.evidence.errors.push(error);
  }

  #warning(code: string): void {
    if (code === 'PTY_FALLBACK_USED' || code === 'CHANNEL_DRIFT') this.evidence.fallbacks++;
    if (code === 'UNPARSED_CONTENT') this.evidence.unknown++;
  }

  #signal(text: string, raw_ref: RawRef): void {
    for (const found of findDoneSignals(text)) {
      const place = { kind: 'done_signal', detail: found.line.slice(0, 500), raw_ref };
      if (!found.signal) this.evidence.invalidSignal ??= place;
      else if (found.signal.state === 'unknown') this.evidence.undecidedSignal ??= place;
      else this.evidence.doneSignal ??= { ...place, signal: found.signal };
    }
  }
}
