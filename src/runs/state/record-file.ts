import fs from 'node:fs';
import path from 'node:path';
import type { Touch } from '../../files/index.ts';
import type { Journal } from '../../journal/index.ts';
import {
  EVENTS_FILE,
  type RaspEvent,
  RUN_FORMAT,
  RUN_RECORD_FILE,
  type RunRecord,
  type RunState,
  TachoError,
} from '../../protocol/index.ts';
import { applyEvent } from '../../record/index.ts';
import { putBackWhole, type RunFolder, readRunRecord, readShownRecord, writeRunRecord } from '../../recording/index.ts';

/** The state of a run with the last event it was folded from. */
interface Folded {
  state: RunState | null;
  seq: number;
  chain: string | null;
}

/** Parts of the record that are not part of the state. */
const NOT_FOLDED: ReadonlySet<string> = new Set<keyof RunRecord>(['format', 'live']);

const NOTHING: Folded = { state: null, seq: 0, chain: null };

/**
 * `.run.json`: a cache of the fold over a run's events, with the number and chain value of the last one. Only the
 * holder of the run's lock writes it, right after appending. Parts lost in a crash are folded again when it is opened.
 */
export class RecordFile {
  /** As written. Without events yet, the initial state of the run. */
  readonly record: RunRecord;
  readonly #folder: RunFolder;
  #folded: Folded;
  #written: string | null = null;

  private constructor(folder: RunFolder, folded: Folded, record: RunRecord) {
    this.#folder = folder;
    this.#folded = folded;
    this.record = record;
  }

  /** For a run without events. */
  static begin(folder: RunFolder, record: RunRecord): RecordFile {
    return new RecordFile(folder, NOTHING, record);
  }

  /** Writes the missing record of a run that has events. The caller holds the run's lock. */
  static async restore(folder: RunFolder, journal: Journal): Promise<void> {
    const { state, seq, chain } = await foldAll(journal, folder.runId);
    if (state) writeRunRecord(folder, { format: RUN_FORMAT, live: null, ...state, head_seq: seq, chain });
  }

  /** Updates the record to the journal's last event. The caller holds the run's lock. */
  static async open(folder: RunFolder, journal: Journal): Promise<RecordFile> {
    const cached = readRunRecord(folder);
    const folded = await foldOnwards(journal, cached);
    const file = new RecordFile(folder, folded, { ...cached });
    const stale = folded.seq > 0 && folded.seq !== cached.head_seq;
    file.#take();
    if (stale) file.#write();
    return file;
  }

  /** Adds appended events; writes on a change of state and at every checkpoint. */
  apply(events: readonly RaspEvent[]): void {
    const { state: before } = this.#folded;
    let { state } = this.#folded;
    for (const event of events) state = applyEvent(state, event);
    const last = events.at(-1);
    if (!last) return;
    this.#folded = { state, seq: last.seq, chain: last.chain };
    this.#take();
    const checkpoint = events.some(({ event }) => event.type === 'lifecycle.recording.checkpoint');
    if (state === before && !checkpoint) return;
    try {
      this.#write();
    } catch {
      // The events are stored, and the next opening folds them again.
    }
  }

  /** The recorder of the attempt; null once it is sealed. */
  setLive(live: RunRecord['live']): void {
    this.record.live = live;
    this.#write();
  }

  #take(): void {
    const { state, seq, chain } = this.#folded;
    if (!state) return;
    for (const key of Object.keys(this.record)) if (!NOT_FOLDED.has(key)) delete this.record[key as keyof RunRecord];
    Object.assign(this.record, state, { head_seq: seq, chain });
  }

  /** Writes it again if it differs from what was last written. */
  putBack(): Touch | null {
    const file = path.join(this.#folder.path, RUN_RECORD_FILE);
    return this.#written === null ? null : putBackWhole(file, this.#written);
  }

  #write(): void {
    this.#written = writeRunRecord(this.#folder, this.record);
  }
}

/** The record of a run from its current events, even if the file is behind them. Needs no lock. */
export async function readRun(folder: RunFolder, journal: Journal): Promise<RunRecord> {
  const cached = readShownRecord(folder);
  // Of another version: shown as it is.
  if (!cached.chain) return cached;
  const { state, seq, chain } = await foldOnwards(journal, cached);
  return state ? { ...cached, ...state, head_seq: seq, chain } : cached;
}

/** Folding more takes noticeably long. */
const MAX_FOLDED_BYTES = 64 * 1024 * 1024;

/** The record of a run, for showing how it was started: from its events, which are sealed, and not from the cache. */
export async function readFolded(folder: RunFolder, journal: Journal): Promise<RunRecord> {
  const cached = readShownRecord(folder);
  const log = fs.statSync(path.join(folder.audit, EVENTS_FILE), { throwIfNoEntry: false });
  if (cached.format !== RUN_FORMAT || !log || log.size > MAX_FOLDED_BYTES) return cached;
  let folded = NOTHING;
  try {
    for await (const events of journal.read(folder.runId)) {
      // Earlier versions stored the request only in the cache.
      if (folded.seq === 0 && events[0]?.event.type !== 'lifecycle.run.requested') return cached;
      folded = foldBatch(folded, events);
    }
  } catch (error) {
    if (error instanceof TachoError) return cached; // The log is damaged; `tacho verify` reports where.
    throw error;
  }
  const { state, seq, chain } = folded;
  return state ? { format: cached.format, live: cached.live, ...state, head_seq: seq, chain } : cached;
}

/** From the event named in the record, if the journal has it with that chain value; otherwise from the first. */
async function foldOnwards(journal: Journal, cached: RunRecord): Promise<Folded> {
  const { head_seq: head = 0, chain = null, run_id } = cached;
  let folded = NOTHING;
  if (head > 0 && chain !== null) {
    for await (const events of journal.read(run_id, { afterSeq: head - 1 })) {
      for (const event of events) {
        if (event.seq === head) {
          if (event.chain !== chain) return foldAll(journal, run_id);
          folded = { state: stateOf(cached), seq: head, chain };
        } else folded = { state: applyEvent(folded.state, event), seq: event.seq, chain: event.chain };
      }
    }
    if (folded.seq > 0) return folded;
  }
  return foldAll(journal, run_id);
}

async function foldAll(journal: Journal, runId: string): Promise<Folded> {
  let folded = NOTHING;
  for await (const events of journal.read(runId)) folded = foldBatch(folded, events);
  return folded;
}

function foldBatch(before: Folded, events: readonly RaspEvent[]): Folded {
  let folded = before;
  for (const event of events) {
    folded = { state: applyEvent(folded.state, event), seq: event.seq, chain: event.chain };
  }
  return folded;
}

function stateOf({ format: _format, live: _live, chain: _chain, ...state }: RunRecord): RunState {
  return state;
}
