import path from 'node:path';
import type { EngineProfile } from '../../engines/index.ts';
import {
  attemptFileNames,
  type ExitFacts,
  type RaspDraft,
  type RawStream,
  type RecordingLevel,
  type Redactions,
  type TachoError,
} from '../../protocol/index.ts';
import {
  type AttemptFile,
  type Clock,
  Recorder,
  type RunFolder,
  type TimingHeader,
  timestamp,
  writeWhole,
} from '../../recording/index.ts';
import type { TerminalSide } from '../../terminal/index.ts';
import { ParseDriver } from '../replay/parse-driver.ts';
import { SecretMask } from '../replay/secret-mask.ts';
import type { AttemptLog } from './attempt-log.ts';
import { checkpointDraft, type DraftContext, warningDraft } from './drafts.ts';
import { createProgress, type Progress } from './progress.ts';

export interface LiveRecordOptions {
  folder: RunFolder;
  attempt: number;
  engine: string;
  mode: 'split' | 'merged';
  level: RecordingLevel;
  header: TimingHeader;
  clock: Clock;
  log: AttemptLog;
  profile: EngineProfile;
  secrets: readonly { name: string; value: string }[];
  limits: { checkpointBytes: number; checkpointMs: number };
  /** New bytes are in the files, and their events are being appended. */
  onRecorded(drafts: readonly RaspDraft[]): void;
  /** Called once. The program must not continue unrecorded. */
  onFailure(error: TachoError): void;
  /** The journal has fallen behind: no more output may arrive until `resume`. */
  pause(): void;
  resume(): void;
}

/** With more drafts than this waiting for the journal, the program is paused. */
const BACKLOG_LIMIT = 4096;
const TICK_MS = 50;
/** Total pauses shorter than this do not cause a warning. */
const TOLERATED_HOLD_MS = 1000;

/** Records a program's output while it runs: bytes to files, then their events to the journal. */
export class LiveRecord {
  outputBytes = 0;
  readonly #progress: Progress;
  readonly #options: LiveRecordOptions;
  readonly #recorder: Recorder;
  readonly #mask: SecretMask;
  readonly #driver: ParseDriver;
  readonly #context: DraftContext;
  readonly #ticking: NodeJS.Timeout;
  #failure: TachoError | null = null;
  #checkpointedBytes = 0;
  #checkpointedAt: number;
  #keptRedactions = 0;
  /** How often, and how long in total, the program was paused for the journal. */
  readonly #heldBack = { times: 0, microseconds: 0 };

  constructor(options: LiveRecordOptions) {
    const { folder, attempt, engine, mode, level, clock, header, profile } = options;
    this.#options = options;
    this.#context = { attempt, engine };
    this.#checkpointedAt = clock.now();
    this.#progress = createProgress(this.#checkpointedAt);
    this.#mask = new SecretMask(options.secrets);
    this.#recorder = new Recorder({
      auditFolder: folder.audit,
      attempt,
      mode,
      level,
      clock,
      header,
      onFailure: (error) => this.#fail(error),
      onRecorded: (chunks) => this.#parse(chunks),
    });
    const origin = origins(this.#recorder);
    const parser = profile.parser.create({ attempt, engine, origin });
    this.#driver = new ParseDriver(parser, this.#mask, { ptyHeaderBytes: origin.pty });
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
  }

  get failure(): TachoError | null {
    return this.#failure;
  }

  output(side: TerminalSide, bytes: Buffer): void {
    this.#recorder.output(side, bytes);
  }

  /** Bytes typed or sent to the program. */
  input(bytes: Buffer): void {
    this.#recorder.input(bytes);
  }

  resize(cols: number, rows: number): void {
    this.#recorder.resize(cols, rows);
  }

  /** Writes everything received so far, so that its events precede any later ones. */
  flush(): void {
    this.#recorder.flush();
  }

  /** Stores events that are not parsed from output. */
  add(drafts: readonly RaspDraft[]): void {
    if (drafts.length === 0 || this.#failure) return;
    const { log, pause, resume } = this.#options;
    const kept = log.append(drafts);
    kept.catch((error) => this.#fail(error));
    if (log.backlog <= BACKLOG_LIMIT) return;
    pause();
    this.#heldBack.times++;
    const since = this.#options.clock.now();
    void kept
      .finally(() => {
        this.#heldBack.microseconds += this.#options.clock.now() - since;
        resume();
      })
      .catch(() => {});
  }

  /** The program has ended and all of its output was received. */
  async end(exit: ExitFacts): Promise<void> {
    this.flush();
    await this.#append(this.#driver.end(exit));
  }

  /** The closing events: warnings, and a checkpoint of every stream. */
  async seal(warnings: readonly RaspDraft[]): Promise<void> {
    if (!this.#failure) await this.#append([...this.#checkpoint(), ...this.#degraded(), ...warnings]);
  }

  get sizes(): Partial<Record<RawStream, number>> {
    return this.#recorder.sizes;
  }

  /** Time of the last progress; microseconds. */
  get lastProgress(): number {
    return this.#progress.last;
  }

  get files(): readonly AttemptFile[] {
    return this.#recorder.files;
  }

  /** Rewritten for every secret found. */
  get redactions(): { name: string; content: string } | null {
    if (this.#keptRedactions === 0) return null;
    const content: Redactions = { format: 'tacho-redactions/1', ranges: this.#mask.ranges };
    return { name: attemptFileNames(this.#options.attempt).redactions, content: `${JSON.stringify(content)}\n` };
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    try {
      await this.#recorder.makeDurable();
    } finally {
      this.#recorder.close();
    }
  }

  #parse(chunks: Parameters<ConstructorParameters<typeof Recorder>[0]['onRecorded']>[0]): void {
    const drafts: RaspDraft[] = [];
    for (const { stream, bytes, time } of chunks) {
      this.outputBytes += bytes.length;
      const born = this.#driver.push(stream, bytes, time);
      this.#progress.note(born, time);
      append(drafts, born);
    }
    this.#keepRedactions();
    const since = this.outputBytes - this.#checkpointedBytes;
    if (since >= this.#options.limits.checkpointBytes) append(drafts, this.#checkpoint());
    this.add(drafts);
    this.#options.onRecorded(drafts);
  }

  #tick(): void {
    const { clock, limits } = this.#options;
    // The parser must see all bytes read before a time, before it gets that time.
    this.flush();
    const drafts = this.#driver.tick(clock.now());
    this.#progress.note(drafts);
    if (clock.now() - this.#checkpointedAt >= limits.checkpointMs * 1000) append(drafts, this.#checkpoint());
    this.add(drafts);
  }

  /** No output is lost; but the program is slowed down when the journal falls far behind. */
  #degraded(): RaspDraft[] {
    const { times, microseconds } = this.#heldBack;
    const held_back_ms = Math.round(microseconds / 1000);
    if (held_back_ms < TOLERATED_HOLD_MS) return [];
    const message = `The program was held back for ${held_back_ms} ms in all because recording could not keep up.`;
    const ts = timestamp(this.#options.clock.now());
    return [warningDraft(this.#context, ts, 'CAPTURE_DEGRADED', { message, gave_up: 'speed', times, held_back_ms })];
  }

  #checkpoint(): RaspDraft[] {
    this.#checkpointedBytes = this.outputBytes;
    this.#checkpointedAt = this.#options.clock.now();
    const ts = timestamp(this.#checkpointedAt);
    return this.#recorder.checkpoint().map((stream) => checkpointDraft(this.#context, ts, stream));
  }

  /** Before the events of the masked bytes: reading the files again requires the masked ranges. */
  #keepRedactions(): void {
    const { ranges } = this.#mask;
    if (ranges.length === this.#keptRedactions) return;
    this.#keptRedactions = ranges.length;
    const { name, content } = this.redactions!;
    writeWhole(path.join(this.#options.folder.audit, name), content, { replace: true, durable: false });
  }

  async #append(drafts: readonly RaspDraft[]): Promise<void> {
    await this.#options.log.append(drafts).catch((error) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = error as TachoError;
    this.#options.onFailure(this.#failure);
  }
}

/** The merged log starts with a header line, so its first output byte is not byte 0. */
function origins(recorder: Recorder): { pty: number } {
  return { pty: recorder.size('pty') ?? 0 };
}

function append(drafts: RaspDraft[], more: readonly RaspDraft[]): void {
  for (const draft of more) drafts.push(draft);
}
