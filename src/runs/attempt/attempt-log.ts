import path from 'node:path';
import type { EngineProfile } from '../../engines/index.ts';
import { setAside, type Touch } from '../../files/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import {
  CONVERSATION_FILE,
  type FcmpMessage,
  NO_USAGE,
  type RaspDraft,
  type RaspEvent,
  TachoError,
  type UsageTally,
} from '../../protocol/index.ts';
import { EndObserver } from '../completion/end-evidence.ts';
import type { RecordFile } from '../state/record-file.ts';
import type { ConversationFile } from './conversation-file.ts';
import type { Correlator } from './correlation/correlator.ts';
import { Coverage } from './coverage.ts';
import { DiagnosticsFile, sizeOfRegular } from './diagnostics-file.ts';

/** Counts for `meta.N.json`, updated as events are stored. */
export interface LogCounts {
  events: number;
  raw: number;
  structured: number;
  confidenceSum: number;
  parserBorn: number;
}

export interface AttemptLogOptions {
  journal: Journal;
  claim: Claim;
  auditFolder: string;
  /** The record with the state derived from the events. */
  record: RecordFile;
  profile: EngineProfile;
  correlator: Correlator;
  /** The conversation derived from the events; null for a plain command, unless requested. */
  conversation: ConversationFile | null;
  onKept?: ((events: readonly RaspEvent[]) => void) | undefined;
  onConversation?: ((messages: readonly FcmpMessage[]) => void) | undefined;
}

/** Writes one attempt's events to the journal, in order and in batches; provides the chain's head for the seal. */
export class AttemptLog {
  readonly counts: LogCounts = { events: 0, raw: 0, structured: 0, confidenceSum: 0, parserBorn: 0 };
  readonly coverage = new Coverage();
  readonly correlator: Correlator;
  readonly #end: EndObserver;
  readonly #journal: Journal;
  readonly #claim: Claim;
  readonly #diagnostics: DiagnosticsFile;
  readonly #conversationFile: string;
  /** Size of an existing conversation that this attempt does not write. */
  readonly #strayBytes: number;
  #conversation: ConversationFile | null;
  readonly #onConversation: AttemptLogOptions['onConversation'];
  readonly #onKept: AttemptLogOptions['onKept'];
  readonly #record: RecordFile;
  #lastSeq: number;
  #head: string;
  #queue: RaspDraft[] = [];
  #working: Promise<void> | null = null;

  constructor({
    journal,
    claim,
    auditFolder,
    record,
    profile,
    correlator,
    conversation,
    onConversation,
    onKept,
  }: AttemptLogOptions) {
    this.correlator = correlator;
    this.#journal = journal;
    this.#claim = claim;
    this.#end = new EndObserver(profile);
    this.#conversation = conversation;
    this.#onConversation = onConversation;
    this.#onKept = onKept;
    this.#record = record;
    this.#lastSeq = claim.lastSeq;
    this.#head = claim.head;
    this.#diagnostics = new DiagnosticsFile(auditFolder, (afterSeq) => journal.read(claim.run, { afterSeq }));
    this.#conversationFile = path.join(auditFolder, CONVERSATION_FILE);
    this.#strayBytes = sizeOfRegular(this.#conversationFile) ?? 0;
  }

  get chain(): { seq: number; head: string } {
    return { seq: this.#lastSeq, head: this.#head };
  }

  /** Usage of the run, and of this attempt alone. */
  get usage(): UsageTally {
    return this.#record.record.usage_tally ?? NO_USAGE;
  }

  /** Evidence about the end of the attempt, from the events so far. */
  get endEvidence(): EndObserver['evidence'] {
    return { ...this.#end.evidence, usage: this.usage.own };
  }

  /** Drafts that are not in the journal yet. */
  get backlog(): number {
    return this.#queue.length;
  }

  /** Resolves when these drafts and all before them are stored; rejects if they cannot be. */
  append(drafts: readonly RaspDraft[]): Promise<void> {
    for (const draft of drafts) this.#queue.push(draft);
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
    return this.#working;
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      const { run, epoch } = this.#claim;
      const result = await this.#journal.append(run, epoch, this.#lastSeq, this.#tied(batch));
      if (!result.ok) {
        throw new TachoError('JOURNAL_FENCED', `run ${run} has another writer now (${result.reason})`, {
          fix: 'Another tacho process took this run over; look at it with: tacho show',
        });
      }
      this.#lastSeq = result.lastSeq;
      this.#head = result.events.at(-1)?.chain ?? this.#head;
      this.#record.apply(result.events);
      this.count(result.events);
      this.#onKept?.(result.events);
      await this.#converse(result.events);
      // Last, because it fails when the disk is full: the other files must not miss an event.
      await this.#diagnostics.append(result.events);
    }
  }

  async #converse(events: readonly RaspEvent[]): Promise<void> {
    if (!this.#conversation) return;
    const messages = await this.#conversation.append(events);
    if (!this.#onConversation) return;
    for await (const part of this.#conversation.whole(messages)) this.#onConversation(part);
  }

  /** This is the only writer, so the numbers are known in advance. */
  #tied(batch: readonly RaspDraft[]): RaspDraft[] {
    return batch.map((draft, index) => this.correlator.tie(draft, this.#lastSeq + index + 1));
  }

  /** Adds events to the counts, including events stored by an earlier process. */
  count(events: readonly RaspEvent[]): void {
    const counts = this.counts;
    this.#end.observe(events);
    for (const { event, source, raw_ref } of events) {
      counts.events++;
      if (source.stream === null) continue;
      counts.parserBorn++;
      counts.confidenceSum += source.confidence;
      if (event.category === 'raw') counts.raw++;
      else counts.structured++;
      this.coverage.add(raw_ref);
    }
  }

  /** Restores the log and the files derived from it; reports the differences. */
  async putBack(): Promise<Touch[]> {
    const { run, epoch } = this.#claim;
    const touches = this.#journal.putBack(run, epoch);
    touches.push(...(await this.#diagnostics.putBack()));
    const conversation = this.#conversation;
    if (conversation ? conversation.isKept() : sizeOfRegular(this.#conversationFile) === this.#strayBytes)
      return touches;
    const what = setAside(this.#conversationFile) ? 'replaced' : 'removed';
    this.#conversation = (await conversation?.again(this.#journal)) ?? null;
    return [...touches, { path: this.#conversationFile, what }];
  }
}
