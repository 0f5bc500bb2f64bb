import type {
  DiagnosticCode,
  ParserContext,
  RaspData,
  RaspDraft,
  RaspEvent,
  RaspType,
  Usage,
} from '../protocol/index.ts';
import { DIAGNOSTIC_CODES, keepPrinted } from '../protocol/index.ts';
import { printedText } from './json/printed-text.ts';
import { structuredPayload } from './structured-payload.ts';
import { rangeOf, rangesOf, type Unit } from './unit.ts';

type Correlation = RaspEvent['correlation'];

export interface DraftOptions {
  confidence?: number;
  correlation?: Correlation;
  /** The member of the data that may be a long text, and the engine's name for it. It must not have been changed. */
  printed?: { member: string; as: string };
}

/** The bytes behind an event: one unit, or all units a message was assembled from; the last one gives the time. */
export type Evidence = Unit | readonly Unit[];

/** Makes drafts for one parser: envelope, confidence, session and byte ranges are its business. */
export interface Drafter {
  readonly session: string | null;
  /** The JSON that is being read; null if there is none. */
  line: string | null;
  event<T extends RaspType>(type: T, data: RaspData<T>, evidence: Evidence, options?: DraftOptions): void;
  /** The engine reported its session; every later event is correlated with it. */
  openSession(id: string, phase: string, evidence: Evidence, more?: { model?: string }): void;
  /** A point in the engine's own work, by its own name; the engine's profile says which of them begin or end a turn. */
  phase(name: string, evidence: Evidence, more?: { usage?: Usage; session_usage?: Usage }): void;
  /** What a person said to the engine. Only imported logs need it as an event: otherwise tacho passed it on itself. */
  userMessage(text: string, phase: string, evidence: Evidence): void;
  /** A whole assistant text, with the JSON it may hold. */
  final(messageId: string, text: string, evidence: Evidence, options?: DraftOptions): void;
  /** Carries the confidence of the reading it is about; content that was not understood has `UNREAD`. */
  warning(code: DiagnosticCode, evidence: Evidence, facts?: Record<string, unknown>): void;
  error(code: DiagnosticCode, message: string, evidence: Evidence, facts?: Record<string, unknown>): void;
  /** Runs `make`; what it drafts is read less, or more, surely than the rest. */
  withConfidence<T>(confidence: number, make: () => T): T;
  /** An id for what the engine gave none. */
  derivedId(unit: Unit): string;
  /** An engine's id that is unique within one invocation only. */
  attemptId(id: string): string;
}

/** Readings below this are marked as uncertain, once for each unit. */
const UNCERTAIN = 0.7;
/** Confidence in output of an engine that its parser kept as text: the bytes are exact, their meaning is unknown. */
export const UNREAD = 0.3;

export function createDrafter(
  context: ParserContext,
  source: { parser: string; confidence: number },
  emit: (draft: RaspDraft) => void,
): Drafter {
  const { attempt, engine, imported = false } = context;
  let session: string | null = null;
  let usual = source.confidence;
  let lastTime = -1;
  let lastStamp = '';

  function stamp(time: number): string {
    const whole = Math.floor(time);
    if (whole !== lastTime) {
      lastTime = whole;
      lastStamp = new Date(whole).toISOString();
    }
    return lastStamp;
  }

  function event<T extends RaspType>(type: T, data: RaspData<T>, evidence: Evidence, options: DraftOptions = {}): void {
    const several = Array.isArray(evidence);
    const unit = lastUnit(evidence);
    const confidence = options.confidence ?? usual;
    if (options.printed) findPrinted(data, options.printed);
    emit({
      ts: stamp(unit.time),
      attempt_number: attempt,
      source: { engine, parser: source.parser, stream: unit.stream, confidence },
      event: { category: type.slice(0, type.indexOf('.')), type },
      data,
      correlation: session === null ? (options.correlation ?? {}) : { session_id: session, ...options.correlation },
      raw_ref: several ? rangesOf(evidence as readonly Unit[], attempt) : rangeOf(unit, attempt),
    } as unknown as RaspDraft);
    if (confidence < UNCERTAIN && !type.startsWith('diagnostic.')) {
      warning('LOW_CONFIDENCE_PARSE', evidence, {}, confidence);
    }
  }

  function findPrinted(data: object, { member, as }: NonNullable<DraftOptions['printed']>): void {
    if (drafter.line === null) return;
    const json = printedText(drafter.line, as, (data as Record<string, unknown>)[member]);
    if (json !== null) keepPrinted(data, { member, json });
  }

  function phase(name: string, evidence: Evidence, more: { usage?: Usage; session_usage?: Usage } = {}): void {
    event('lifecycle.run.status', { status: 'running', phase: name, ...more }, evidence);
  }

  function derivedId(unit: Unit): string {
    return `${attempt}.${unit.stream}.${unit.from}`;
  }

  function warning(
    code: DiagnosticCode,
    evidence: Evidence,
    facts: Record<string, unknown> = {},
    confidence = code === 'UNPARSED_CONTENT' ? UNREAD : usual,
  ): void {
    const message = DIAGNOSTIC_CODES[code];
    const data = { code, message, severity: 'warning' as const, confidence, ...facts };
    event('diagnostic.parser.warning', data, evidence, { confidence });
  }

  const drafter: Drafter = {
    get session() {
      return session;
    },
    line: null,
    event,
    warning,
    openSession(id, phase, evidence, more = {}) {
      const correlation = { session_id: id };
      event('lifecycle.run.status', { status: 'running', phase, session_id: id, ...more }, evidence, { correlation });
      // Only now: raw output that came before is closed by that event, and is none of the session's.
      session = id;
    },
    phase,
    userMessage(text, name, evidence) {
      if (!imported || text.trim() === '') return phase(name, evidence);
      const interaction_id = derivedId(lastUnit(evidence));
      const data = { interaction_id, text, source: 'prompt' };
      event('interaction.reply.accepted', data, evidence, { correlation: { interaction_id } });
    },
    final(messageId, text, evidence, options = {}) {
      const payload = structuredPayload(text);
      const data: RaspData<'agent.message.final'> = { message_id: messageId, text };
      if (payload !== undefined) data.structured_payload = payload;
      const correlation = { message_id: messageId, ...options.correlation };
      event('agent.message.final', data, evidence, { confidence: options.confidence ?? usual, correlation });
    },
    error(code, message, evidence, facts = {}) {
      const severity = code === 'ENGINE_RETRY' ? 'warning' : 'error';
      event('diagnostic.engine.error', { code, message, severity, ...facts }, evidence);
    },
    withConfidence(confidence, make) {
      const before = usual;
      usual = confidence;
      try {
        return make();
      } finally {
        usual = before;
      }
    },
    derivedId,
    attemptId: (id) => `${attempt}.${id}`,
  };
  return drafter;
}

function lastUnit(evidence: Evidence): Unit {
  return Array.isArray(evidence) ? (evidence.at(-1) as Unit) : (evidence as Unit);
}
