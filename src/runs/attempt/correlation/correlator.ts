import type { Claim, Journal } from '../../../journal/index.ts';
import { type FsChange, isEvent, type RaspDraft, type RaspEvent } from '../../../protocol/index.ts';
import { type Attribution, attributeChange, type ObservedCall } from './attribute-change.ts';
import { targetOf } from './tool-paths.ts';

type Correlation = RaspEvent['correlation'];

/** Number of last events to read when resuming: they include an open question and its reply. */
const RECALLED = 16;
/** Maximum number of calls to remember; the oldest is dropped first. */
const MAX_CALLS = 10_000;

/**
 * Links events that tacho creates to their causes: session, question, message and tool call by id, the cause by
 * `parent_seq`. It sees every event of the attempt in order, just before the journal numbers it.
 */
export class Correlator {
  readonly #workspace: string;
  readonly #calls = new Map<string, ObservedCall>();
  /** The last requested approval, and the last event about it. */
  #approval: { id: string; seq: number } | null = null;
  #attempt = 0;
  #session: string | null;
  #question: { interactionId: string; seq: number } | null = null;
  /** The `seq` of the last event of each kind. */
  #requested: number | null = null;
  #reply: { interactionId: string; seq: number } | null = null;
  #running: number | null = null;
  #message: { id: string; seq: number } | null = null;
  #completion: number | null = null;
  #engine: number | null = null;

  constructor(workspace: string, session: string | null = null) {
    this.#workspace = workspace;
    this.#session = session;
  }

  /** Starts with the last events of the run's journal. */
  static async resume(
    journal: Journal,
    { run, lastSeq }: Claim,
    workspace: string,
    session: string | null = null,
  ): Promise<Correlator> {
    const correlator = new Correlator(workspace, session);
    if (lastSeq === 0) return correlator;
    for await (const events of journal.read(run, { afterSeq: Math.max(0, lastSeq - RECALLED) })) {
      for (const event of events) correlator.observe(event, event.seq);
    }
    return correlator;
  }

  /** The draft with its links; `seq` is the number it is about to get. */
  tie(draft: RaspDraft, seq: number): RaspDraft {
    if (draft.attempt_number > this.#attempt) this.#startAttempt(draft.attempt_number);
    const { category } = draft.event;
    const own = draft.source.parser === 'tacho' || category === 'raw' || category === 'interaction';
    const tied = own ? ({ ...draft, correlation: this.#tiesOf(draft) } as RaspDraft) : draft;
    this.observe(tied, seq);
    return tied;
  }

  /** Registers an event that is in the journal, or is about to be. */
  observe(draft: RaspDraft, seq: number): void {
    const event = draft as RaspEvent;
    if (draft.attempt_number > this.#attempt) this.#startAttempt(draft.attempt_number);
    this.#session = draft.correlation.session_id ?? this.#session;
    if (draft.event.category === 'tool') this.#observeCall(event as RaspEvent<'tool.call.started'>, seq);
    else if (isEvent(event, 'agent.message.final')) this.#message = { id: event.data.message_id, seq };
    else if (isEvent(event, 'lifecycle.run.requested')) this.#requested = seq;
    else if (isEvent(event, 'lifecycle.completion.state')) this.#completion = seq;
    else if (isEvent(event, 'interaction.approval.requested')) this.#approval = { id: event.data.approval_id, seq };
    else if (isEvent(event, 'interaction.approval.decided')) this.#approval = { id: event.data.approval_id, seq };
    else if (isEvent(event, 'interaction.user_input.required')) {
      this.#question = { interactionId: event.data.interaction_id, seq };
    } else if (isEvent(event, 'interaction.reply.accepted')) {
      this.#reply = { interactionId: event.data.interaction_id, seq };
    } else if (isEvent(event, 'lifecycle.run.status')) this.#observeStatus(event, seq);
  }

  /** The tool call that changed a path of the workspace, judged by the calls so far. */
  attribute(change: FsChange): Attribution | null {
    return attributeChange(change, this.#calls.values(), this.#workspace);
  }

  /** Session and question outlive an attempt; everything else is reset. */
  #startAttempt(attempt: number): void {
    this.#attempt = attempt;
    this.#calls.clear();
    this.#requested = this.#running = this.#completion = this.#engine = null;
    this.#reply = this.#message = this.#approval = null;
  }

  #tiesOf(draft: RaspDraft): Correlation {
    const ties = this.#closeTies(draft as RaspEvent);
    // The parser alone sets the ids of parsed events, so that parsing again gives the same event.
    if (draft.source.stream !== null) return { ...withoutNull({ parent_seq: ties.parent_seq }), ...draft.correlation };
    return {
      ...(this.#session === null ? {} : { session_id: this.#session }),
      ...withoutNull(ties),
      // Ids set by the creator of the event are more specific than ids derived from the order of events.
      ...draft.correlation,
    };
  }

  #closeTies(event: RaspEvent): { [K in keyof Correlation]?: Correlation[K] | null } {
    if (isEvent(event, 'interaction.user_input.required')) {
      return {
        interaction_id: event.data.interaction_id,
        message_id: this.#message?.id,
        parent_seq: this.#message?.seq ?? this.#engine ?? this.#running,
      };
    }
    if (isEvent(event, 'interaction.reply.accepted')) {
      const { interaction_id } = event.data;
      const answers = this.#question?.interactionId === interaction_id;
      return { interaction_id, parent_seq: answers ? this.#question!.seq : this.#requested };
    }
    if (isEvent(event, 'interaction.approval.decided')) {
      return { interaction_id: event.data.approval_id, parent_seq: this.#approval?.seq ?? this.#running };
    }
    if (isEvent(event, 'interaction.approval.requested')) {
      return { interaction_id: event.data.approval_id, parent_seq: this.#openCall?.seq ?? this.#running };
    }
    if (isEvent(event, 'lifecycle.completion.state')) {
      return { message_id: this.#message?.id, parent_seq: this.#engine ?? this.#message?.seq ?? this.#running };
    }
    if (isEvent(event, 'lifecycle.run.status')) return this.#tiesOfStatus(event);
    if (event.event.category === 'artifact') {
      const call = event.correlation.call_id === undefined ? undefined : this.#calls.get(event.correlation.call_id);
      return { parent_seq: call?.seq ?? this.#running };
    }
    return { parent_seq: this.#completion ?? this.#running ?? this.#requested };
  }

  #tiesOfStatus({ data }: RaspEvent<'lifecycle.run.status'>): { interaction_id?: string; parent_seq?: number | null } {
    switch (data.status) {
      case 'queued':
        return data.reason_code === 'reply_accepted' && this.#question
          ? { interaction_id: this.#question.interactionId, parent_seq: this.#question.seq }
          : { parent_seq: this.#requested };
      case 'running':
        // Running again after an approval, or for the first time.
        if (this.#running !== null) return this.#tiesOfApproval;
        return {
          ...(this.#reply && this.#reply.interactionId === this.#question?.interactionId
            ? { interaction_id: this.#reply.interactionId }
            : {}),
          parent_seq: this.#reply?.seq ?? this.#requested,
        };
      case 'waiting_user':
        return {
          ...(this.#question ? { interaction_id: this.#question.interactionId } : {}),
          parent_seq: this.#question?.seq ?? this.#completion,
        };
      case 'waiting_approval':
        return this.#tiesOfApproval;
      default:
        return { parent_seq: this.#completion ?? this.#running ?? this.#requested };
    }
  }

  /** The last call that has started and not ended: most likely the one that needs the approval. */
  get #openCall(): ObservedCall | undefined {
    const last = [...this.#calls.values()].at(-1);
    return last?.endedAt === null ? last : undefined;
  }

  get #tiesOfApproval(): { interaction_id?: string; parent_seq: number | null } {
    if (this.#approval === null) return { parent_seq: this.#running };
    return { interaction_id: this.#approval.id, parent_seq: this.#approval.seq };
  }

  #observeStatus({ data, source }: RaspEvent<'lifecycle.run.status'>, seq: number): void {
    if (data.session_id !== undefined) this.#session = data.session_id;
    if (source.stream !== null) this.#engine = seq;
    else if (data.status === 'running') this.#running ??= seq;
  }

  #observeCall({ event, data, ts }: RaspEvent<'tool.call.started'>, seq: number): void {
    const known = this.#calls.get(data.call_id);
    const time = Date.parse(ts);
    const ended = (event.type as string) === 'tool.call.started' ? null : Math.max(time, timeOf(data.ended_at) ?? time);
    const target = known && data.arguments === undefined ? known : targetOf(data, this.#workspace);
    this.#calls.delete(data.call_id);
    this.#calls.set(data.call_id, {
      ...target,
      call_id: data.call_id,
      seq: known?.seq ?? seq,
      startedAt: Math.min(known?.startedAt ?? time, timeOf(data.started_at) ?? time),
      endedAt: ended ?? known?.endedAt ?? null,
      failed: (event.type as string) === 'tool.call.failed',
    });
    if (this.#calls.size > MAX_CALLS) this.#calls.delete(this.#calls.keys().next().value!);
  }
}

function timeOf(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

function withoutNull(ties: object): Correlation {
  return Object.fromEntries(Object.entries(ties).filter(([, value]) => value !== null && value !== undefined));
}
