import path from 'node:path';
import type { EngineProfile } from '../../engines/index.ts';
import { watchFolder } from '../../files/index.ts';
import { isLocked } from '../../journal/index.ts';
import { EVENTS_FILE } from '../../protocol/index.ts';
import { readRunRecord } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { isPlainPlace, readAgentLogEnds } from './agent-log-ends.ts';
import { findEngineRun } from './find-engine-run.ts';
import { LoggedEntries } from './logged-entries.ts';
import type { RegisteredAgent } from './registered-agents.ts';
import { stampOf } from './session-folders.ts';
import { type SessionRuns, sessionKey } from './session-runs.ts';
import { WatchedSession } from './watched-session.ts';

/** A process that ends writes its last event before it gives up its lock; one that dies does not. */
const GONE_MS = 1500;
const RETRY_MS = 500;
const ENDS: ReadonlySet<unknown> = new Set(['run_completed', 'run_failed', 'run_cancelled']);

export interface FollowedAgentOptions {
  context: RunContext;
  profile: EngineProfile;
  runs: SessionRuns;
  /** Null while another process reads logs of agents, such as an import. */
  lock(): { release(): void } | null;
  /** The log has changed, or is to be looked at again. */
  onChange(): void;
}

/** One registered run of an agent, and the run that shows it. */
export class FollowedAgent {
  agent: RegisteredAgent;
  readonly #options: FollowedAgentOptions;
  #session: WatchedSession | null = null;
  #watch: { stop(): void } | null = null;
  /** The version of the log that was read to its end. */
  #stamp: string | null;
  #releasedAt: number | null = null;
  #isEnded = false;
  #isCanceled = false;

  constructor(agent: RegisteredAgent, options: FollowedAgentOptions) {
    this.agent = agent;
    this.#options = options;
    this.#stamp = options.runs.readStamp(this.#key);
  }

  /** Whether an attempt is open: a process may be writing the log. */
  get isLive(): boolean {
    return this.#session !== null;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The program has registered again: it continues the run. */
  renew(agent: RegisteredAgent): void {
    this.agent = agent;
    this.#isCanceled = false;
    this.#stamp = null;
  }

  /** Records what is new. */
  async update(): Promise<void> {
    if (this.#isEnded || this.#isCanceled) return;
    const { locator, workspace } = this.agent;
    const stamp = stampOf(locator)?.stamp ?? null;
    if (stamp === null || (stamp === this.#stamp && !this.#session)) return;
    if (!isPlainPlace(workspace, locator)) throw new Error(`${locator} is behind a link`);
    const lock = this.#options.lock();
    if (!lock) {
      setTimeout(() => this.#options.onChange(), RETRY_MS).unref();
      return;
    }
    try {
      if (!this.#session && !this.#begin()) return;
      await this.#session!.update();
      if (this.#session!.isCanceled) return this.#leave({ isCanceled: true });
      this.#stamp = stamp;
      await this.#settle();
    } catch (error) {
      this.#stamp = null;
      throw error;
    } finally {
      lock.release();
    }
  }

  /** Seals what is open. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#leave();
    await session?.close();
  }

  /** False if there is nothing to record now. */
  #begin(): boolean {
    const { context, profile, runs, onChange } = this.#options;
    const { locator, workspace, run_id } = this.agent;
    const ends = readAgentLogEnds(locator);
    if (!ends) return false;
    const isUnused = ends.isFork && (ends.lastType === 'run_forked' || ends.lastType === 'user_message');
    if (ends.isChild || (isUnused && !this.#isHeld)) {
      this.#stamp = stampOf(locator)?.stamp ?? null;
      return false;
    }
    if (this.#isRecordedElsewhere()) return false;
    this.#session = new WatchedSession({
      context,
      sessions: { profile, format: profile.sessions! },
      path: locator,
      runs,
      cwd: workspace,
      command: ['tacho', 'agent', 'resume', '-C', workspace, run_id],
      agent: { workspace, run_id },
      newCounts: () => new LoggedEntries(run_id),
      onProgress: () => {},
    });
    this.#watch = watchFolder(path.dirname(locator), (name) => name === EVENTS_FILE, onChange);
    return true;
  }

  /** A run of the engine has this log as its session: what follows belongs to it, and it may be recorded right now. */
  #isRecordedElsewhere(): boolean {
    const { context, runs } = this.#options;
    const known = runs.find(this.#key)?.run_id ?? findEngineRun(context.home, this.agent);
    if (known === null) return false;
    if (!runs.find(this.#key)) runs.put(this.#key, { run_id: known, path: this.agent.locator, stamp: null });
    const folder = runs.folderOf(known);
    return readRunRecord(folder).live !== null || isLocked(folder.audit);
  }

  /** Seals the attempt if the agent has ended, waits, or its process is gone. */
  async #settle(): Promise<void> {
    const session = this.#session!;
    const type = session.lastEntry?.type;
    const isHeld = this.#isHeld;
    if (ENDS.has(type)) {
      this.#isEnded = true;
      this.#leave();
      await session.close();
    } else if (isHeld) this.#releasedAt = null;
    else if (type === 'run_waiting') {
      this.#leave();
      await session.close();
    } else if (this.#releasedAt === null) this.#releasedAt = performance.now();
    else if (performance.now() - this.#releasedAt >= GONE_MS) {
      this.#leave();
      await session.close({ isOver: true });
    }
  }

  /** The next change begins anew, with a comparison of all of the log. */
  #leave({ isCanceled = false } = {}): void {
    this.#isCanceled = isCanceled;
    this.#watch?.stop();
    this.#watch = null;
    this.#session = null;
    this.#releasedAt = null;
  }

  get #isHeld(): boolean {
    return isLocked(path.dirname(this.agent.locator));
  }

  get #key(): string {
    return sessionKey(this.agent.locator, this.agent.run_id);
  }
}
