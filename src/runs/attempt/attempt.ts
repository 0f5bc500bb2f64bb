import path from 'node:path';
import { identityOf } from '../../files/index.ts';
import type { EndedByUs, RaspDraft, RunRecord, RunStatus, TachoError } from '../../protocol/index.ts';
import { type AttemptFile, type Clock, digestOf, HeldFolders, startClock, timestamp } from '../../recording/index.ts';
import type { TerminalSide } from '../../terminal/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import { ApprovalWatch } from '../approvals/approval-watch.ts';
import type { CompletionFacts } from '../completion/completion.ts';
import type { RunContext } from '../context.ts';
import { type AttemptFacts, blankFacts } from './attempt-facts.ts';
import { AttemptLog } from './attempt-log.ts';
import type { AttemptPlan, FinishedAttempt, RecordingSettings, RecordOptions } from './attempt-plan.ts';
import { AttemptSteps, asError } from './attempt-steps.ts';
import { type AlreadyWritten, NOTHING_WRITTEN, quietly, sealRecord, statusOf } from './closing.ts';
import { announceRepair, completeByContract } from './complete-by-contract.ts';
import { ConversationFile } from './conversation-file.ts';
import { Correlator } from './correlation/correlator.ts';
import { DiskReserve } from './disk-reserve.ts';
import { type DraftContext, ignoredSettingsDrafts, statusDraft, warningDraft } from './drafts.ts';
import type { LiveRecord } from './live-record.ts';
import type { PreparedRun } from './prepare-run.ts';
import { closeProgramRecord, openProgramRecord, type ProgramRecord } from './program-record.ts';
import type { Program, ProgramEnd, ProgramHost } from './programs/program.ts';
import { putBackRecord, recordTouched } from './put-back-record.ts';
import { watchSignIn } from './rejected-sign-in.ts';
import { exceededLimit, exceedsBudget, startWatchdogs } from './watchdogs.ts';
import { describeIncomplete, WorkspaceWatch } from './workspace-watch.ts';

/**
 * One attempt of a run with any kind of program, from the open folder to the seal. It owns all resources, and `finish`
 * closes them once, without ever throwing.
 */
export class Attempt implements ProgramHost {
  readonly run: PreparedRun;
  readonly facts: AttemptFacts;
  readonly clock: Clock;
  readonly log: AttemptLog;
  written: AlreadyWritten = NOTHING_WRITTEN;
  readonly #plan: AttemptPlan;
  readonly #context: RunContext;
  readonly #recording: RecordingSettings;
  readonly #workspace: WorkspaceWatch;
  readonly #reserve: DiskReserve;
  readonly #steps: AttemptSteps;
  readonly #held: HeldFolders;
  readonly #cleanups: (() => void | Promise<void>)[] = [];
  #program: Program | null = null;
  #record: LiveRecord | null = null;
  #startedAt = 0;
  #endedByUs: EndedByUs | null = null;
  readonly #ending = new AbortController();
  #callOff: () => void = () => {};
  #finishing: Promise<FinishedAttempt> | null = null;

  /** Takes over the run's lock, even when it fails. */
  static async open(run: PreparedRun, plan: AttemptPlan, context: RunContext): Promise<Attempt> {
    try {
      const conversation = plan.conversation ? await ConversationFile.open(run.folder, run.journal, run.attempt) : null;
      const correlator = await Correlator.resume(run.journal, run.claim, run.record.cwd, plan.session);
      return new Attempt(run, plan, context, { conversation, correlator, held: new HeldFolders(run.folder) });
    } catch (error) {
      await run.journal.release(run.folder.runId, run.claim.epoch).catch(() => {});
      throw error;
    }
  }

  private constructor(
    run: PreparedRun,
    plan: AttemptPlan,
    context: RunContext,
    parts: { conversation: ConversationFile | null; correlator: Correlator; held: HeldFolders },
  ) {
    const { folder, attempt, journal, claim, record } = run;
    this.run = run;
    this.#held = parts.held;
    this.clock = plan.clock ?? startClock();
    this.#plan = plan;
    this.#context = context;
    this.#recording = plan.recording ?? context.config.recording;
    this.#workspace = new WorkspaceWatch(run, context, this.#recording);
    this.#reserve = new DiskReserve(path.join(folder.audit, `reserve.${attempt}.tmp`));
    const approvals = new ApprovalWatch(new ApprovalStore(context.home), {
      become: (status, ts, reason) => this.#become(status, ts, reason),
      // A program of the user keeps running while it asks; one that tacho starts ends, and the run waits then.
      ...(plan.agent ? { agent: plan.agent } : {}),
    });
    this.log = new AttemptLog({
      journal,
      claim,
      auditFolder: folder.audit,
      record: run.file,
      profile: plan.profile,
      correlator: parts.correlator,
      conversation: parts.conversation,
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
      environment: typeof record.request === 'object' ? (record.request.environment ?? 'isolated') : null,
      settings: (plan.settings === undefined ? context.settings : plan.settings) ?? null,
    };
    this.#steps = new AttemptSteps(this.facts);
  }

  get drafts(): DraftContext {
    return { attempt: this.run.attempt, engine: this.run.record.engine };
  }

  get now(): string {
    return timestamp(this.clock.now());
  }

  /**
   * One step before the program runs. The first failure is named in meta, and later steps are skipped, as are all steps
   * after the attempt was ended; returns null then.
   */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T | null> {
    return this.facts.error || this.#endedByUs ? null : await this.#steps.run(name, work);
  }

  /** Everything before the program: opening events, the disk reserve for its end, the workspace snapshot. */
  async prepare(opening: readonly RaspDraft[]): Promise<void> {
    const { repaired } = this.run.claim;
    // From here on, this process writes every file of the attempt.
    this.facts.digests = new Map();
    await this.step('journal', async () => {
      if (repaired) await this.log.append([warningDraft(this.drafts, this.now, 'JOURNAL_REPAIRED', { ...repaired })]);
      await this.log.append([...opening, ...ignoredSettingsDrafts(this.drafts, this.now, this.facts.settings ?? [])]);
    });
    await this.step('reserve', () => this.#reserve.take());
    await this.step('fs-before', () => this.#workspace.before(this.#ending.signal));
  }

  /** Called when the attempt is closed, whatever its result. */
  onClose(work: () => void | Promise<void>): void {
    this.#cleanups.push(work);
  }

  /** Updates the facts about the recorder. */
  setLive(more: Partial<NonNullable<RunRecord['live']>>): void {
    this.run.file.setLive({ ...this.run.record.live!, ...more });
  }

  /** Opens the record of a program's output, and starts the program. */
  async start(program: Program, options: RecordOptions): Promise<void> {
    await this.step('terminal', async () => {
      this.#program = program;
      this.#record = openProgramRecord(this.#programRecord(program), options);
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

  /** Stores an event that is not parsed from output, after the events of earlier output. */
  event(draft: RaspDraft): void {
    this.#record?.flush();
    this.#record?.add([draft]);
  }

  /** The facts that decide how the attempt ended, after the program has. */
  completionFacts({ exit_code, signal, endedByUs = null, isOver = false }: ProgramEnd): CompletionFacts {
    const { error, mode, markerRequired, supervisorLost, startedAt, profile } = this.facts;
    const { imported, watched = false } = this.#plan;
    return {
      recordTouched: error?.code === 'RECORD_TOUCHED' ? error : null,
      exit: { exit_code, signal },
      exitUnknown: imported !== undefined || watched,
      watched: watched && !isOver,
      keepsWaiting: profile.name === 'agent',
      unanswerable: imported !== undefined && !imported.isContinued,
      claimed: imported?.claimed ?? null,
      endedByUs: this.#endedByUs ?? endedByUs,
      supervisorLost,
      mode,
      markerRequired,
      terminalBy: profile.terminalBy,
      notStarted: startedAt === null ? error : null,
      evidence: this.log.endEvidence,
    };
  }

  /** Ends the program, or the steps before its start; a second call skips the grace period. */
  end(reason: EndedByUs): void {
    const again = this.#endedByUs !== null;
    this.#endedByUs ??= reason;
    this.#ending.abort();
    this.#program?.end(reason, { again });
  }

  /** Closes everything and completes the record. Further calls return the same result. */
  finish(end: ProgramEnd): Promise<FinishedAttempt> {
    this.#finishing ??= this.#finish(end);
    return this.#finishing;
  }

  /** Closes everything; another process must complete the record. */
  async abandon(): Promise<void> {
    this.#callOff();
    for (const work of this.#cleanups.splice(0).reverse()) await quietly(work);
    this.#workspace.close();
    this.#held.close();
    await quietly(() => this.run.journal.release(this.run.folder.runId, this.run.claim.epoch));
  }

  async #finish(end: ProgramEnd): Promise<FinishedAttempt> {
    const { run, facts, log, drafts, clock } = this;
    this.#callOff();
    facts.endedAt = end.at ?? this.clock.now();
    facts.exit_code = end.exit_code;
    facts.signal = end.signal;
    if (end.error) this.#steps.fail('terminal', end.error);
    await this.#steps.run('terminal', () =>
      closeProgramRecord(
        this.#record,
        { program: this.#program, facts, steps: this.#steps, drafts, clock, putBack: () => this.#putBack() },
        end,
      ),
    );
    // Some engines report their usage only when they end.
    if (this.#plan.limits && exceedsBudget(log.usage, this.#plan.limits.budget)) this.#endedByUs ??= 'budget';
    facts.endedByUs =
      this.#record?.failure?.code === 'DISK_FULL' ? 'disk_full' : (this.#endedByUs ?? end.endedByUs ?? null);
    // When the disk is full, the reserve makes room for the last events, meta and seal.
    await quietly(() => this.#reserve.release());
    // On a full disk, the remaining space is for the closing events.
    if (facts.error?.code !== 'DISK_FULL') await this.#steps.run('fs-after', () => this.#diffWorkspace());
    for (const file of this.#ownFiles) facts.digests?.set(path.basename(file.path), file.digest());
    const { written } = this;
    const { contract = null, isRepair = false } = this.#plan;
    const ended = { run, plan: this.#plan, facts, log, written, steps: this.#steps };
    const completion = completeByContract(ended, { ...this.completionFacts(end), endedByUs: facts.endedByUs });
    facts.isRepaired = await announceRepair(ended, completion);
    try {
      await sealRecord({ run, facts, log, written, drafts, completion, contract, isRepair }, this.#context);
      return { completion, status: statusOf(completion, facts), sealed: true, error: facts.error };
    } catch (cause) {
      return { completion, status: 'failed', sealed: false, error: facts.error ?? asError(cause) };
    } finally {
      await this.abandon();
    }
  }

  get #ownFiles(): AttemptFile[] {
    return [...this.#workspace.files, ...(this.#program?.files ?? []), ...(this.#record?.files ?? [])];
  }

  /** Restores a record that the program modified, and fails the attempt if it did. */
  async #putBack(): Promise<void> {
    const { run, facts, log } = this;
    // Without a program, nothing can have modified it.
    if (facts.startedAt === null) facts.digests = null;
    if (!facts.digests) return;
    const redactions = this.#record?.redactions;
    if (redactions) facts.digests.set(redactions.name, digestOf(redactions.content));
    const wholes = redactions ? [redactions] : [];
    const touches = await putBackRecord({ run, held: this.#held, files: this.#ownFiles, wholes, log });
    if (touches.length === 0) return;
    // Any other failure is a consequence of it, except a full disk.
    if (facts.error?.code === 'DISK_FULL') return;
    facts.error = recordTouched(touches, { run });
    facts.failedStep = 'record';
  }

  #programRecord(program: Program): ProgramRecord {
    const { run, clock, log } = this;
    const { profile, limits } = this.#plan;
    const isSignInRejected = watchSignIn();
    return {
      run,
      profile,
      recording: this.#recording,
      clock,
      log,
      program,
      onRecorded: (drafts) => {
        const rejected = isSignInRejected(drafts) ? 'auth_rejected' : null;
        const exceeded = limits && exceededLimit(limits, this.#record!.outputBytes, { drafts, usage: this.log.usage });
        const reason = rejected ?? exceeded;
        if (reason && this.#endedByUs === null) this.end(reason);
        program.recorded?.();
        this.#plan.onRecorded?.(this.#record!.sizes);
      },
      onFailure: (failure) => this.end(endFor(failure)),
    };
  }

  async #diffWorkspace(): Promise<void> {
    const after = await this.#workspace.after();
    if (!after) return;
    Object.assign(this.facts, after);
    const incomplete = describeIncomplete(after.diff);
    if (incomplete) await this.log.append([warningDraft(this.drafts, this.now, 'SNAPSHOT_INCOMPLETE', incomplete)]);
  }

  #become(status: RunStatus, ts: string, reason_code: string): void {
    // The attempt itself reports a record that cannot be written.
    void this.log.append([statusDraft(this.drafts, ts, status, { reason_code })]).catch(() => {});
  }

  #orEnd(work: () => void): void {
    try {
      work();
    } catch (error) {
      const failure = asError(error);
      this.#steps.fail('record', failure);
      this.end(endFor(failure));
    }
  }
}

function endFor({ code }: TachoError): EndedByUs {
  return code === 'DISK_FULL' ? 'disk_full' : 'recording_failed';
}
