import fs from 'node:fs';
import path from 'node:path';
import type { EngineProfile } from '../../engines/index.ts';
import { identityOf } from '../../files/index.ts';
import {
  attemptFileNames,
  type Completion,
  type EndedByUs,
  type FcmpMessage,
  hasEnded,
  type RaspDraft,
  type RecordingLevel,
  type RunMode,
  type RunRecord,
  type RunStatus,
  TachoError,
} from '../../protocol/index.ts';
import {
  type Clock,
  loadSealKey,
  sealAttempt,
  startClock,
  type TimingHeader,
  timestamp,
} from '../../recording/index.ts';
import type { TerminalSide } from '../../terminal/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import { ApprovalWatch } from '../approvals/approval-watch.ts';
import { analyzeCompletion, type CompletionFacts } from '../completion/completion.ts';
import type { RunContext } from '../context.ts';
import { removeStoredRequest } from '../request/stored-request.ts';
import { type AttemptFacts, blankFacts } from './attempt-facts.ts';
import { AttemptLog } from './attempt-log.ts';
import { type AlreadyTold, closingDrafts, NOTHING_TOLD, statusOf, terminalWarnings } from './closing.ts';
import { ConversationFile } from './conversation-file.ts';
import { Correlator } from './correlator.ts';
import { DiskReserve } from './disk-reserve.ts';
import { type DraftContext, statusDraft, warningDraft } from './drafts.ts';
import { LiveRecord } from './live-record.ts';
import { withdrawLive } from './live-runs.ts';
import type { PreparedRun } from './prepare-run.ts';
import type { Program, ProgramEnd, ProgramHost } from './program.ts';
import { type AttemptLimits, exceededLimit, startWatchdogs } from './watchdogs.ts';
import { WorkspaceWatch } from './workspace-watch.ts';
import { writeMeta } from './write-meta.ts';

/** What an attempt is to be, as far as its record is concerned. */
export interface AttemptPlan {
  profile: EngineProfile;
  mode: RunMode;
  markerRequired: boolean;
  /** Of the engine's program, where it can be told. */
  engineVersion?: string | null;
  /** Of a terminal session that is recorded. */
  session?: string;
  /** The events are kept as a conversation too. */
  conversation: boolean;
  hideSecrets?(text: string): string;
  limits?: AttemptLimits;
  /** How much is kept; as configured unless given. */
  recording?: RecordingSettings;
  clock?: Clock;
  onConversation?(messages: readonly FcmpMessage[]): void;
  /** New bytes are in the files. */
  onRecorded?(): void;
}

interface RecordingSettings {
  level: RecordingLevel;
  ignore: readonly string[];
  blob_max_bytes: number;
  checkpoint_bytes: number;
  checkpoint_ms: number;
}

/** How what a program prints is kept. */
export interface RecordOptions {
  mode: 'split' | 'merged';
  header: Omit<TimingHeader, 'startedAt' | 'command'>;
  secrets: readonly { name: string; value: string }[];
}

export interface FinishedAttempt {
  completion: Completion;
  status: RunStatus;
  /** False when the record could not be completed; the run is then as one whose recorder died, and is recovered. */
  sealed: boolean;
  /** What failed first, in this attempt or in completing its record. */
  error: TachoError | null;
}

/**
 * One attempt of a run, from its open folder to its seal, whoever the program is: opened, started, told what happens,
 * finished. It owns all that has to be closed again, and `finish` closes it: once, and without ever throwing.
 */
export class Attempt implements ProgramHost {
  readonly run: PreparedRun;
  readonly facts: AttemptFacts;
  readonly clock: Clock;
  readonly log: AttemptLog;
  told: AlreadyTold = NOTHING_TOLD;
  readonly #plan: AttemptPlan;
  readonly #context: RunContext;
  readonly #recording: RecordingSettings;
  readonly #workspace: WorkspaceWatch;
  readonly #reserve: DiskReserve;
  readonly #cleanups: (() => void | Promise<void>)[] = [];
  #program: Program | null = null;
  #record: LiveRecord | null = null;
  #startedAt = 0;
  #endedByUs: EndedByUs | null = null;
  #callOff: () => void = () => {};
  #finishing: Promise<FinishedAttempt> | null = null;

  /** Takes over the run's lock, also when it fails. */
  static async open(run: PreparedRun, plan: AttemptPlan, context: RunContext): Promise<Attempt> {
    try {
      const conversation = plan.conversation ? await ConversationFile.open(run.folder, run.journal) : null;
      const correlator = await Correlator.resume(run.journal, run.claim, run.record.cwd, plan.session);
      return new Attempt(run, plan, context, { conversation, correlator });
    } catch (error) {
      await run.journal.release(run.folder.runId, run.claim.epoch).catch(() => {});
      throw error;
    }
  }

  private constructor(
    run: PreparedRun,
    plan: AttemptPlan,
    context: RunContext,
    { conversation, correlator }: { conversation: ConversationFile | null; correlator: Correlator },
  ) {
    const { folder, attempt, journal, claim, record } = run;
    this.run = run;
    this.clock = plan.clock ?? startClock();
    this.#plan = plan;
    this.#context = context;
    this.#recording = plan.recording ?? context.config.recording;
    this.#workspace = new WorkspaceWatch(run, context, this.#recording);
    this.#reserve = new DiskReserve(path.join(folder.audit, `reserve.${attempt}.tmp`));
    const approvals = new ApprovalWatch(new ApprovalStore(context.home), (status, ts) => this.#become(status, ts));
    this.log = new AttemptLog({
      journal,
      claim,
      auditFolder: folder.audit,
      record: run.file,
      profile: plan.profile,
      correlator,
      conversation,
      onKept: (events) => approvals.observe(events),
      onConversation: plan.onConversation,
    });
    this.facts = {
      ...blankFacts({
        profile: plan.profile,
        mode: plan.mode,
        markerRequired: plan.markerRequired,
        command: record.command,
        cwd: record.cwd,
        capture: record.live!.capture,
        endedAt: this.clock.now(),
      }),
      engineVersion: plan.engineVersion ?? null,
      hideSecrets: plan.hideSecrets ?? ((text) => text),
      envNames: record.live!.env_names,
    };
  }

  get drafts(): DraftContext {
    return { attempt: this.run.attempt, engine: this.run.record.engine };
  }

  get now(): string {
    return timestamp(this.clock.now());
  }

  /**
   * One step on the way to a running program. The first that fails is named in meta, and the ones after it are left
   * out; null then.
   */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T | null> {
    return this.facts.error ? null : await this.#named(name, work);
  }

  /** What there was before the program: events that say that it begins, room for saying how it ended, its workspace. */
  async prepare(opening: readonly RaspDraft[]): Promise<void> {
    const { repaired } = this.run.claim;
    await this.step('journal', async () => {
      if (repaired) await this.log.append([warningDraft(this.drafts, this.now, 'JOURNAL_REPAIRED', { ...repaired })]);
      await this.log.append(opening);
    });
    await this.step('reserve', () => this.#reserve.take());
    await this.step('fs-before', () => this.#workspace.before());
  }

  /** Done when the attempt is closed, whatever became of it. */
  onClose(work: () => void | Promise<void>): void {
    this.#cleanups.push(work);
  }

  /** Tells more of who records the attempt. */
  setLive(more: Partial<NonNullable<RunRecord['live']>>): void {
    this.run.file.setLive({ ...this.run.record.live!, ...more });
  }

  /** Opens the record of what a program prints, and starts the program. */
  async start(program: Program, options: RecordOptions): Promise<void> {
    await this.step('terminal', async () => {
      this.#program = program;
      this.#record = this.#openRecord(program, options);
      this.#startedAt = this.clock.now();
      await program.start(this);
    });
  }

  started(pid: number): void {
    const { limits } = this.#plan;
    this.facts.startedAt = this.#startedAt;
    this.#orEnd(() => {
      this.setLive({ child: identityOf(pid), started_at: new Date().toISOString() });
    });
    if (!limits) return;
    this.#callOff = startWatchdogs({
      ...limits,
      silentFor: () => (this.clock.now() - this.#record!.lastProgress) / 1000,
      end: (reason) => this.end(reason),
    });
  }

  output(side: TerminalSide, bytes: Buffer): void {
    this.#record?.output(side, bytes);
  }

  input(bytes: Buffer): void {
    this.#record?.input(bytes);
  }

  resize(cols: number, rows: number): void {
    this.#record?.resize(cols, rows);
  }

  /** Keeps an event that is not read from the output, after those of the output before it. */
  event(draft: RaspDraft): void {
    this.#record?.flush();
    this.#record?.tell([draft]);
  }

  /** What is known about how it ended, once the program has. */
  completionFacts({ exit_code, signal, endedByUs = null }: ProgramEnd): CompletionFacts {
    const { error, mode, markerRequired, supervisorLost, startedAt, profile } = this.facts;
    return {
      exit: { exit_code, signal },
      endedByUs: this.#endedByUs ?? endedByUs,
      supervisorLost,
      mode,
      markerRequired,
      terminalBy: profile.terminalBy,
      notStarted: startedAt === null ? error : null,
      evidence: this.log.endEvidence,
    };
  }

  /** Ends the program; a second call skips the grace. */
  end(reason: EndedByUs): void {
    const again = this.#endedByUs !== null;
    this.#endedByUs ??= reason;
    this.#program?.end(reason, { again });
  }

  /** Closes everything and completes the record. Called again, it gives the same answer. */
  finish(end: ProgramEnd): Promise<FinishedAttempt> {
    this.#finishing ??= this.#finish(end);
    return this.#finishing;
  }

  /** Closes everything and leaves the record to be completed by somebody else. */
  async abandon(): Promise<void> {
    this.#callOff();
    for (const work of this.#cleanups.splice(0).reverse()) await quietly(work);
    await quietly(() => this.run.journal.release(this.run.folder.runId, this.run.claim.epoch));
  }

  async #finish(end: ProgramEnd): Promise<FinishedAttempt> {
    const { facts } = this;
    this.#callOff();
    facts.endedAt = end.at ?? this.clock.now();
    facts.exit_code = end.exit_code;
    facts.signal = end.signal;
    if (end.error) this.#failed('terminal', end.error);
    await this.#named('terminal', () => this.#closeRecord(end));
    facts.endedByUs =
      this.#record?.failure?.code === 'DISK_FULL' ? 'disk_full' : (this.#endedByUs ?? end.endedByUs ?? null);
    // The reserve is what the last events, meta and seal are written with when the disk is full.
    await quietly(() => this.#reserve.release());
    // The last space of a full disk is for saying what happened.
    if (facts.error?.code !== 'DISK_FULL') await this.#named('fs-after', () => this.#lookAtWorkspace());
    const completion =
      this.told.completion ?? analyzeCompletion({ ...this.completionFacts(end), endedByUs: facts.endedByUs });
    try {
      await this.#seal(completion);
      return { completion, status: statusOf(completion), sealed: true, error: facts.error };
    } catch (cause) {
      return { completion, status: 'failed', sealed: false, error: facts.error ?? asError(cause) };
    } finally {
      await this.abandon();
    }
  }

  #openRecord(program: Program, { mode, header, secrets }: RecordOptions): LiveRecord {
    const { folder, attempt, record } = this.run;
    const { limits } = this.#plan;
    const recording = this.#recording;
    return new LiveRecord({
      folder,
      attempt,
      engine: record.engine,
      mode,
      level: recording.level,
      header: {
        ...header,
        startedAt: new Date(Math.floor(this.clock.now() / 1000)),
        command: record.command.join(' '),
      },
      clock: this.clock,
      log: this.log,
      profile: this.#plan.profile,
      secrets,
      limits: { checkpointBytes: recording.checkpoint_bytes, checkpointMs: recording.checkpoint_ms },
      onRecorded: (drafts) => {
        const exceeded =
          limits &&
          this.#endedByUs === null &&
          exceededLimit(limits, this.#record!.outputBytes, { drafts, usage: this.log.usage });
        if (exceeded) this.end(exceeded);
        program.recorded?.();
        this.#plan.onRecorded?.();
      },
      onFailure: ({ code }) => this.end(code === 'DISK_FULL' ? 'disk_full' : 'recording_failed'),
      pause: () => program.pause(),
      resume: () => program.resume(),
    });
  }

  /** All bytes are in. */
  async #closeRecord({ exit_code, signal, terminal }: ProgramEnd): Promise<void> {
    const { facts } = this;
    const record = this.#record;
    const program = this.#program;
    if (terminal) {
      const { cols, rows, drained, leftBehind, outputProcessingRestored } = terminal;
      facts.terminal = {
        cols,
        rows,
        drained,
        output_processing_restored: outputProcessingRestored,
        left_behind: leftBehind,
      };
    }
    try {
      if (record && facts.startedAt !== null) {
        await record.end({ exit_code, signal, time: facts.endedAt / 1000 });
        facts.trace = (await program?.summarize?.(record.outputBytes)) ?? null;
        await record.seal(terminalWarnings(this.drafts, this.now, { terminal, trace: facts.trace }));
      }
    } finally {
      await program?.close();
      if (record) {
        facts.outputBytes = record.outputBytes;
        facts.digests = record.digests();
        record.close();
        if (record.failure) this.#failed('terminal', record.failure);
      }
    }
  }

  async #lookAtWorkspace(): Promise<void> {
    const after = await this.#workspace.after();
    if (!after) return;
    Object.assign(this.facts, after);
    if (after.diff.unreadable.length === 0) return;
    const paths = after.diff.unreadable.slice(0, 20).map(({ path: name }) => name);
    await this.log.append([warningDraft(this.drafts, this.now, 'SNAPSHOT_INCOMPLETE', { paths })]);
  }

  /**
   * Last events, meta, seal, run record – in this order, so that a crash in between leaves something that can be
   * completed, never something that looks whole.
   */
  async #seal(completion: Completion): Promise<void> {
    const { facts, log } = this;
    const { folder, attempt } = this.run;
    const { home, version } = this.#context;
    await log.append(closingDrafts(this.drafts, facts, completion, { log, told: this.told }));
    const files = attemptFileNames(attempt);
    const exists = (name: string) => fs.existsSync(path.join(folder.audit, name));
    if (!exists(files.meta)) writeMeta({ folder, attempt, facts, completion, log, version });
    if (!exists(files.seal)) {
      const { diff, digests } = facts;
      sealAttempt({ folder, attempt, key: loadSealKey(home.keys), chain: log.chain, diff, digests });
    }
    await quietly(() => this.#expireApprovals(completion));
    // The state was told by the events; from here on the record counts as sealed.
    this.run.file.setLive(null);
    if (hasEnded(this.run.record)) await quietly(() => removeStoredRequest(folder));
    await quietly(() => withdrawLive(home, folder));
  }

  /** A program that stopped waiting on purpose looks for the decision when it goes on. */
  #expireApprovals(completion: Completion): void {
    const stillAsks = statusOf(completion) === 'waiting_user' && completion.reason_code === 'APPROVAL_PENDING';
    if (!this.facts.profile.capabilities.approvals || stillAsks) return;
    new ApprovalStore(this.#context.home).expire(this.run.folder.runId);
  }

  #become(status: RunStatus, ts: string): void {
    const reason_code = status === 'running' ? 'approval_decided' : 'approval_requested';
    // A record that cannot be written is told by the attempt itself.
    void this.log.append([statusDraft(this.drafts, ts, status, { reason_code })]).catch(() => {});
  }

  async #named<T>(name: string, work: () => T | Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#failed(name, asError(error));
      return null;
    }
  }

  #failed(step: string, error: TachoError): void {
    if (this.facts.error) return;
    this.facts.error = error;
    this.facts.failedStep = step;
  }

  #orEnd(work: () => void): void {
    try {
      work();
    } catch (error) {
      const failure = asError(error);
      this.#failed('record', failure);
      this.end(failure.code === 'DISK_FULL' ? 'disk_full' : 'recording_failed');
    }
  }
}

async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // What cannot be put away now does not keep the rest from it.
  }
}

function asError(cause: unknown): TachoError {
  if (cause instanceof TachoError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TachoError('INTERNAL', `unexpected: ${message}`, { cause });
}
