import { randomUUID } from 'node:crypto';
import { readingSessions } from '../../engines/index.ts';
import { type AgentRef, type Capture, type FcmpMessage, type Usage, WATCHED } from '../../protocol/index.ts';
import type { Clock, RunFolder } from '../../recording/index.ts';
import { Attempt } from '../attempt/attempt.ts';
import type { FinishedAttempt } from '../attempt/attempt-plan.ts';
import { refuseLowDisk } from '../attempt/disk-reserve.ts';
import { requestedDraft, statusDraft } from '../attempt/drafts.ts';
import { prepareRun } from '../attempt/prepare-run.ts';
import type { Program, ProgramHost } from '../attempt/programs/program.ts';
import { openJournal, type RunContext } from '../context.ts';
import { openControl } from '../control/control-server.ts';
import { findSecrets, hiderOf } from '../launch/isolated-environment.ts';
import { requestedOf } from '../state/requested.ts';
import type { SessionFolder } from './session-folders.ts';

const CAPTURE: Capture = { mode: 'split', reason: WATCHED, level: 'minimal', source: 'session_file' };

export interface WatchedAttemptOptions {
  context: RunContext;
  sessions: Pick<SessionFolder, 'profile' | 'format'>;
  path: string;
  /** Shown as the command of the run (default: the one that watches sessions). */
  command?: readonly string[];
  /** The agent whose log it is. */
  agent?: AgentRef;
  /** The run to continue; null for a new one. */
  run: string | null;
  /** The folder that the session works in, if known. */
  cwd: string | null;
  /** Milliseconds since the epoch: of the first entry. */
  time: number;
  onMessages(messages: readonly FcmpMessage[]): void;
  /** Somebody canceled the run: its file is no longer followed. */
  onCancel(): void;
}

/** One stretch of activity in a session file, recorded as an attempt. Its time is that of the entries. */
export class WatchedAttempt {
  readonly #attempt: Attempt;
  readonly #entries: Entries;

  private constructor(attempt: Attempt, entries: Entries) {
    this.#attempt = attempt;
    this.#entries = entries;
  }

  static async open(options: WatchedAttemptOptions): Promise<WatchedAttempt> {
    const { context, sessions, path, time } = options;
    const { command = ['tacho', 'watch', sessions.profile.name, path] } = options;
    const { home, config } = context;
    refuseLowDisk(home.root, config.limits.disk_floor_bytes);
    // Tools of the session may have printed values of the person's variables.
    const secrets = findSecrets(environment(), config.environment.secret_names);
    const run = await prepareRun({
      engine: sessions.profile.name,
      cwd: options.cwd,
      run: options.run,
      shownCommand: () => command.map(hiderOf(secrets)),
      capture: CAPTURE,
      known: { env_names: [], secret_names: secrets.map(({ name }) => name) },
      home,
      openJournal: (folder) => openJournal(folder, config),
      // No process has this marker: the engine was not started by tacho, and is never ended by it.
      marker: randomUUID(),
    });
    const entries = new Entries(time * 1000);
    const attempt = await Attempt.open(
      run,
      {
        profile: readingSessions(sessions.profile, sessions.format),
        mode: 'auto',
        markerRequired: false,
        conversation: true,
        watched: true,
        ...(options.agent ? { agent: options.agent } : {}),
        hideSecrets: hiderOf(secrets),
        recording: { ...config.recording, level: 'minimal' },
        settings: null,
        clock: entries,
        onConversation: options.onMessages,
      },
      context,
    );
    const control = await openControl(home, run.folder);
    attempt.onClose(() => control.close());
    control.attach({ write: async () => {}, resize: () => {}, cancel: options.onCancel });
    const { drafts, now } = attempt;
    const requested = requestedOf(run.record, { session: run.record.session_id ?? null });
    await attempt.prepare([
      requestedDraft(drafts, now, { ...requested, watched: { path } }),
      statusDraft(drafts, now, 'running', { phase: 'watched' }),
    ]);
    await attempt.start(entries, { mode: 'split', header: { term: 'dumb', cols: 0, rows: 0 }, secrets });
    attempt.facts.startedAt = entries.now();
    if (!attempt.facts.error) return new WatchedAttempt(attempt, entries);
    const { error } = attempt.facts;
    await attempt.finish({ exit_code: null, signal: null, error });
    throw error;
  }

  get folder(): RunFolder {
    return this.#attempt.run.folder;
  }

  get number(): number {
    return this.#attempt.run.attempt;
  }

  get usage(): Usage | null {
    return this.#attempt.run.file.record.usage ?? null;
  }

  /** Whether it cannot be recorded any more, such as on a full disk. */
  get hasFailed(): boolean {
    return this.#entries.isEnded;
  }

  /** Records one line of the file; resolves when the next one may come. */
  add(bytes: Buffer, time: number | null): Promise<void> | undefined {
    return this.#entries.add(bytes, time);
  }

  /** Seals it. `isOver`: the program that wrote the file is gone, whatever it wrote last. */
  async close({ canceled, isOver }: { canceled: boolean; isOver: boolean }): Promise<FinishedAttempt> {
    const endedByUs = canceled ? 'canceled' : null;
    return this.#attempt.finish({ exit_code: null, signal: null, endedByUs, isOver, at: this.#entries.now() });
  }
}

/** The "program" of the attempt: entries that a session file already has. */
class Entries implements Program, Clock {
  #host: ProgramHost | null = null;
  #time: number;
  #paused: { until: Promise<void>; resume(): void } | null = null;
  isEnded = false;

  constructor(time: number) {
    this.#time = time;
  }

  /** Microseconds: of the last entry. */
  now(): number {
    return this.#time;
  }

  add(bytes: Buffer, time: number | null): Promise<void> | undefined {
    if (time !== null) this.#time = Math.max(this.#time, time * 1000);
    if (!this.isEnded) this.#host?.output('a', bytes);
    return this.#paused?.until;
  }

  start(host: ProgramHost): void {
    this.#host = host;
  }

  pause(): void {
    if (this.#paused) return;
    let resume = () => {};
    const until = new Promise<void>((resolve) => {
      resume = resolve;
    });
    this.#paused = { until, resume };
  }

  resume(): void {
    this.#paused?.resume();
    this.#paused = null;
  }

  end(): void {
    this.isEnded = true;
    this.resume();
  }

  close(): void {}
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
