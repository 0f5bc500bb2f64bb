import path from 'node:path';
import { engineOf } from '../../engines/index.ts';
import { identityOf } from '../../files/index.ts';
import {
  type CommandResult,
  type EndedByUs,
  type SessionEndReason,
  type SessionInfo,
  type StreamName,
  TachoError,
} from '../../protocol/index.ts';
import { type Clock, startClock, timestamp, writeRunRecord } from '../../recording/index.ts';
import type { RecordedSession, SessionControl, SessionRecording, TerminalEnd } from '../../terminal/index.ts';
import type { RunContext } from '../context.ts';
import type { ControlServer } from '../control/control-server.ts';
import { findSecrets, hiderOf } from '../launch/isolated-environment.ts';
import { requestedOf } from '../state/requested.ts';
import { type AttemptFacts, blankFacts } from './attempt-facts.ts';
import { AttemptLog } from './attempt-log.ts';
import { ConversationFile } from './conversation-file.ts';
import { DiskReserve } from './disk-reserve.ts';
import { commandEndedDraft, commandStartedDraft, openingDrafts } from './drafts.ts';
import { finishAttempt } from './finish-attempt.ts';
import { LiveRecord } from './live-record.ts';
import type { PreparedRun } from './prepare-run.ts';
import { terminalFacts, terminalWarnings } from './terminal-end.ts';
import { WorkspaceWatch } from './workspace-watch.ts';

/** Sessions are one engine to whoever reads their runs. */
export const SESSION_ENGINE = 'terminal';

const ENDED_BY_US: Partial<Record<SessionEndReason, EndedByUs>> = {
  destroyed: 'canceled',
  idle: 'no_progress',
  stuck: 'no_progress',
  life: 'hard_timeout',
  failed: 'recording_failed',
};

interface SessionRunOptions {
  session: RecordedSession;
  run: PreparedRun;
  control: ControlServer | null;
  context: RunContext;
  /** The record could not be completed here; it is when the run is recovered. */
  onTrouble(error: unknown): void;
}

/** A terminal session kept as a run of one attempt, by the process that has the session. */
export class SessionRun implements SessionRecording {
  readonly #options: SessionRunOptions;
  readonly #clock: Clock = startClock();
  readonly #log: AttemptLog;
  readonly #record: LiveRecord;
  readonly #workspace: WorkspaceWatch;
  readonly #reserve: DiskReserve;
  readonly #facts: AttemptFacts;
  #session: SessionControl | null = null;

  /** Resolves when the program may start: what was there before it is known. */
  static async begin(options: SessionRunOptions): Promise<SessionRun> {
    const { folder, journal } = options.run;
    const conversation = options.session.kind === 'shell' ? await ConversationFile.open(folder, journal) : null;
    const recording = new SessionRun(options, conversation);
    try {
      await recording.#prepare();
      return recording;
    } catch (error) {
      recording.#facts.error ??= error instanceof TachoError ? error : null;
      await recording.finish(null, null);
      throw error;
    }
  }

  private constructor(options: SessionRunOptions, conversation: ConversationFile | null) {
    const { session, run, context } = options;
    const { folder, attempt, journal, claim, record } = run;
    const { config } = context;
    const profile = engineOf(SESSION_ENGINE);
    const secrets = findSecrets(session.environment, config.environment.secret_names);
    this.#options = options;
    this.#log = new AttemptLog({ journal, claim, auditFolder: folder.audit, profile, conversation });
    this.#workspace = new WorkspaceWatch(run, context, config.recording);
    this.#reserve = new DiskReserve(path.join(folder.audit, `reserve.${attempt}.tmp`));
    this.#facts = {
      ...blankFacts({
        profile,
        mode: 'auto',
        markerRequired: false,
        command: record.command,
        cwd: record.cwd,
        capture: record.live!.capture,
        endedAt: this.#clock.now(),
      }),
      hideSecrets: hiderOf(secrets),
      envNames: record.live!.env_names,
    };
    this.#record = new LiveRecord({
      folder,
      attempt,
      engine: SESSION_ENGINE,
      mode: session.split ? 'split' : 'merged',
      level: config.recording.level,
      header: {
        startedAt: new Date(Math.floor(this.#clock.now() / 1000)),
        term: session.environment.TERM ?? 'xterm-256color',
        cols: session.cols,
        rows: session.rows,
        command: record.command.join(' '),
      },
      clock: this.#clock,
      log: this.#log,
      profile,
      secrets,
      limits: { checkpointBytes: config.recording.checkpoint_bytes, checkpointMs: config.recording.checkpoint_ms },
      onRecorded: () => {},
      onFailure: () => this.#session?.end('unrecorded'),
      pause: () => this.#session?.pause(),
      resume: () => this.#session?.resume(),
    });
  }

  get runId(): string {
    return this.#options.run.folder.runId;
  }

  started(session: SessionControl): void {
    const { run, control } = this.#options;
    const now = new Date().toISOString();
    this.#session = session;
    this.#facts.startedAt = this.#clock.now();
    run.record.live = { ...run.record.live!, child: identityOf(session.pid), started_at: now };
    run.record.updated_at = now;
    this.#orEnd(() => writeRunRecord(run.folder, run.record));
    control?.attach({
      write: async (bytes) => session.write(bytes),
      resize: (cols, rows) => session.resize(cols, rows),
      cancel: () => session.end('canceled'),
    });
  }

  output(stream: StreamName, bytes: Buffer): void {
    this.#record.output(stream === 'stdout' ? 'a' : 'b', bytes);
  }

  input(bytes: Buffer): void {
    this.#record.input(bytes);
  }

  resized(cols: number, rows: number): void {
    this.#record.resize(cols, rows);
  }

  commandBegan({ execId, text }: { execId: string; text: string }): void {
    const call = { id: execId, command: this.#facts.hideSecrets(text) };
    this.#record.flush();
    this.#record.tell([commandStartedDraft(this.#draftContext, this.#now, call)]);
  }

  commandEnded(result: CommandResult): void {
    this.#record.flush();
    this.#record.tell([commandEndedDraft(this.#draftContext, this.#now, result)]);
  }

  async finish(end: SessionInfo['end'], terminal: TerminalEnd | null): Promise<boolean> {
    const { run, control, context, onTrouble } = this.#options;
    try {
      await this.#gatherEnd(end, terminal);
      this.#reserve.release();
      await this.#lookAtWorkspace();
      await finishAttempt(run, this.#facts, this.#log, context);
      return true;
    } catch (error) {
      onTrouble(error);
      return false;
    } finally {
      control?.close();
      await run.journal.release(run.folder.runId, run.claim.epoch).catch(onTrouble);
    }
  }

  async #prepare(): Promise<void> {
    const requested = requestedOf(this.#options.run.record);
    await this.#log.append(openingDrafts(this.#draftContext, this.#now, null, { announced: false, requested }));
    this.#reserve.take();
    await this.#workspace.before();
  }

  /** All bytes are in. */
  async #gatherEnd(end: SessionInfo['end'], terminal: TerminalEnd | null): Promise<void> {
    const facts = this.#facts;
    const { session } = this.#options;
    facts.endedAt = this.#clock.now();
    try {
      const { exit_code = null, signal = null } = end ?? {};
      await this.#record.end({ exit_code, signal, time: facts.endedAt / 1000 });
      await this.#record.seal(terminal ? terminalWarnings(this.#draftContext, this.#now, terminal) : []);
      facts.exit_code = exit_code;
      facts.signal = signal;
    } finally {
      this.#record.close();
    }
    facts.outputBytes = this.#record.outputBytes;
    facts.digests = this.#record.digests();
    facts.error ??= this.#record.failure ?? (facts.startedAt === null ? neverRan(session) : null);
    if (facts.error) facts.failedStep ??= 'terminal';
    const full = this.#record.failure?.code === 'DISK_FULL';
    facts.endedByUs = full ? 'disk_full' : ((end && ENDED_BY_US[end.reason]) ?? null);
    if (terminal) facts.terminal = terminalFacts(session, terminal);
  }

  async #lookAtWorkspace(): Promise<void> {
    // The last space of a full disk is for saying what happened.
    if (this.#facts.error?.code === 'DISK_FULL') return;
    const after = await this.#workspace.after();
    if (after) Object.assign(this.#facts, after);
  }

  #orEnd(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.onTrouble(error);
      this.#session?.end('unrecorded');
    }
  }

  get #draftContext() {
    return { attempt: this.#options.run.attempt, engine: SESSION_ENGINE };
  }

  get #now(): string {
    return timestamp(this.#clock.now());
  }
}

function neverRan({ argv }: RecordedSession): TachoError {
  return new TachoError('COMMAND_UNAVAILABLE', `${argv[0]} could not be started`, { facts: { program: argv[0] } });
}
