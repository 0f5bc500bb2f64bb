import type { AgentRef, FcmpMessage, RunStatus, Usage } from '../../protocol/index.ts';
import { nextAttempt } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { EntryCounts, linesIn, type SessionLine } from './entry-counts.ts';
import { SessionFile } from './session-file.ts';
import { type SessionFolder, stampOf } from './session-folders.ts';
import { type SessionRuns, sessionKey } from './session-runs.ts';
import { WatchedAttempt } from './watched-attempt.ts';

/** What was read of a session since it was opened. */
export interface SessionNews {
  engine: string;
  path: string;
  run_id: string;
  cwd: string | null;
  /** The beginning of the first message. */
  title: string | null;
  /** Messages of people and of the assistant, and calls of tools, in this stretch. */
  messages: number;
  calls: number;
  usage: Usage | null;
}

export type SessionProgress = SessionNews &
  ({ kind: 'opened'; continued: boolean } | { kind: 'read' } | { kind: 'sealed'; status: RunStatus });

interface SessionOptions {
  context: RunContext;
  sessions: Pick<SessionFolder, 'profile' | 'format'>;
  path: string;
  runs: SessionRuns;
  /** The folder that the session works in; by default as its entries say. */
  cwd?: string;
  /** Shown as the command of the run. */
  command?: readonly string[];
  /** The agent whose log it is. */
  agent?: AgentRef;
  /** Takes down which entries the run has already. */
  newCounts?: () => EntryCounts;
  onProgress(progress: SessionProgress): void;
}

/** One session file and its run. An attempt is open while the file is being written. */
export class WatchedSession {
  readonly path: string;
  readonly #options: SessionOptions;
  #file: SessionFile;
  #attempt: WatchedAttempt | null = null;
  /** Lines of the open attempt. */
  #added: string[] = [];
  /** Lines that the run has and the file, once it was read again, has not shown yet. */
  #known: EntryCounts | null = null;
  #key: string | null = null;
  #cwd: string | null;
  #last: SessionLine['entry'] = null;
  #title: string | null = null;
  #messages = 0;
  #calls = 0;
  #isFirstRead = true;
  #isCanceled = false;
  #changedAt = performance.now();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.path = options.path;
    this.#file = new SessionFile(options.path);
    this.#cwd = options.cwd ?? null;
  }

  get engine(): string {
    return this.#options.sessions.profile.name;
  }

  get isOpen(): boolean {
    return this.#attempt !== null;
  }

  get idleMs(): number {
    return performance.now() - this.#changedAt;
  }

  /** The last entry that was read. */
  get lastEntry(): SessionLine['entry'] {
    return this.#last;
  }

  /** Somebody canceled the run: its file is no longer followed. */
  get isCanceled(): boolean {
    return this.#isCanceled;
  }

  /** Records what is new in the file. If that fails, the next update compares all of the file with the run. */
  async update(): Promise<void> {
    if (this.#isCanceled) return;
    const stamp = stampOf(this.path)?.stamp ?? null;
    try {
      await this.#read();
    } catch (error) {
      this.#file = new SessionFile(this.path);
      this.#isFirstRead = true;
      this.#known = null;
      throw error;
    }
    if (this.#known?.isEmpty) this.#known = null;
    this.#isFirstRead = false;
    this.#remember(stamp);
  }

  /** Seals the open attempt, if any. `isOver`: the program that wrote the file is gone. */
  async close({ canceled = false, isOver = false } = {}): Promise<void> {
    const attempt = this.#attempt;
    if (!attempt) return;
    this.#attempt = null;
    this.#added = [];
    const { status, sealed, error } = await attempt.close({ canceled, isOver });
    if (!sealed) throw error;
    this.#options.onProgress({ ...this.#news(attempt), kind: 'sealed', status });
    this.#messages = 0;
    this.#calls = 0;
  }

  async #read(): Promise<void> {
    let isAgain = this.#isFirstRead;
    for (const { lines, again } of this.#file.read()) {
      if (again && !isAgain) this.#known = null;
      isAgain ||= again;
      if (isAgain) this.#known ??= this.#recorded(lines);
      for (const line of linesIn(lines, this.#options.sessions.format)) {
        if (this.#isCanceled) return;
        this.#note(line);
        if (this.#known?.take(line.key)) continue;
        await this.#add(line);
        if (this.#attempt?.hasFailed) return await this.close();
      }
      // Other sessions, signals and timers in between.
      await new Promise(setImmediate);
    }
  }

  /** What the run has already: from `tacho import`, an earlier watch, or the file before it was rewritten. */
  #recorded(lines: Buffer): EntryCounts {
    const { sessions, runs } = this.#options;
    // The first entries say which session it is and where it works, if not always the very first one.
    for (const line of linesIn(lines, sessions.format)) {
      this.#note(line);
      if (this.#key !== null && this.#cwd !== null) break;
    }
    const run = runs.find(this.#sessionKey);
    const none = this.#options.newCounts?.() ?? new EntryCounts();
    if (!run) return none;
    const folder = runs.folderOf(run.run_id);
    const attempts = (this.#attempt?.number ?? nextAttempt(folder)) - 1;
    const counts = EntryCounts.recorded(folder, attempts, sessions.format, none);
    for (const key of this.#added) counts.add(key);
    return counts;
  }

  async #add({ bytes, key, time }: SessionLine): Promise<void> {
    this.#attempt ??= await this.#open(time ?? Date.now());
    this.#added.push(key);
    this.#changedAt = performance.now();
    await this.#attempt.add(bytes, time);
  }

  async #open(time: number): Promise<WatchedAttempt> {
    const { context, sessions, runs, command, agent } = this.#options;
    const known = runs.find(this.#sessionKey);
    const attempt = await WatchedAttempt.open({
      context,
      sessions,
      path: this.path,
      ...(command === undefined ? {} : { command }),
      ...(agent === undefined ? {} : { agent }),
      run: known?.run_id ?? null,
      cwd: this.#cwd,
      time,
      onMessages: (messages) => this.#count(messages),
      onCancel: () => {
        this.#isCanceled = true;
        void this.close({ canceled: true }).catch(() => {});
      },
    });
    runs.put(this.#sessionKey, { run_id: attempt.folder.runId, path: this.path, stamp: null });
    this.#options.onProgress({ ...this.#news(attempt), kind: 'opened', continued: known !== null });
    return attempt;
  }

  /** The session's id and folder are in its first entries. */
  #note({ entry }: SessionLine): void {
    if (!entry) return;
    this.#last = entry;
    const { id, cwd } = this.#options.sessions.format.aboutSession(entry);
    if (id !== undefined) this.#key ??= sessionKey(this.path, id);
    if (cwd !== undefined) this.#cwd ??= cwd;
  }

  get #sessionKey(): string {
    this.#key ??= sessionKey(this.path, null);
    return this.#key;
  }

  /** A file without news needs no reading after a restart. */
  #remember(stamp: string | null): void {
    const { runs } = this.#options;
    const run = runs.find(this.#sessionKey);
    if (run && run.stamp !== stamp) runs.put(this.#sessionKey, { run_id: run.run_id, path: this.path, stamp });
  }

  #count(messages: readonly FcmpMessage[]): void {
    for (const { type, data } of messages) {
      if (type === 'user.message' || type === 'assistant.message.final') this.#messages++;
      if (type === 'assistant.tool_call' && (data as { state: string }).state === 'started') this.#calls++;
      if (type === 'user.message') this.#title ??= (data as { text: string }).text.slice(0, 200);
    }
    if (this.#attempt) this.#options.onProgress({ ...this.#news(this.#attempt), kind: 'read' });
  }

  #news(attempt: WatchedAttempt): SessionNews {
    return {
      engine: this.engine,
      path: this.path,
      run_id: attempt.folder.runId,
      cwd: this.#cwd,
      title: this.#title,
      messages: this.#messages,
      calls: this.#calls,
      usage: attempt.usage,
    };
  }
}
