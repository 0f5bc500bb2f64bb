import fs from 'node:fs';
import { type EngineProfile, findEngine } from '../../engines/index.ts';
import { every, type Flock, type Repeated, watchFolder } from '../../files/index.ts';
import type { RunContext } from '../context.ts';
import { FollowedAgent } from './followed-agent.ts';
import { RegisteredAgents } from './registered-agents.ts';
import { SessionRuns, tryLockSessions } from './session-runs.ts';

const ENGINE = 'agent';
/** Changes come in bursts. */
const SETTLE_MS = 50;
const POLL_INTERVAL_MS = 1000;
/** Of runs that no process has open: a program that continues one registers again, and is noticed at once. */
const IDLE_POLLS = 10;
const UPKEEP_POLLS = 600;

export interface AgentWatchOptions {
  context: RunContext;
  /** A registration or a log could not be read or recorded; the others are followed all the same. */
  onProblem(error: unknown, place: string): void;
}

interface Entry {
  followed: FollowedAgent;
  work: Promise<void> | null;
  /** Something has changed since the work began. */
  isStale: boolean;
  soon: NodeJS.Timeout | undefined;
}

/**
 * Shows runs of agents in users' own programs: each one that is registered with the data folder is a run, recorded from its
 * log as it grows. Nothing is written to workspaces.
 */
export class AgentWatch {
  readonly registered: RegisteredAgents;
  readonly #options: AgentWatchOptions;
  readonly #runs: SessionRuns;
  readonly #entries = new Map<string, Entry>();
  readonly #watch: { stop(): void };
  readonly #polling: Repeated;
  #soon: NodeJS.Timeout | undefined;
  #polls = 0;
  #held: Flock | null = null;
  #readers = 0;
  #isClosed = false;

  constructor(options: AgentWatchOptions) {
    const { home } = options.context;
    this.#options = options;
    this.registered = new RegisteredAgents(home, { onProblem: options.onProblem });
    this.#runs = new SessionRuns(home, ENGINE);
    fs.mkdirSync(this.registered.folder, { recursive: true, mode: 0o700 });
    this.#watch = watchFolder(
      this.registered.folder,
      (name) => name.endsWith('.json'),
      () => this.#noteFolder(),
    );
    const onError = (error: unknown) => options.onProblem(error, this.registered.folder);
    this.#polling = every(POLL_INTERVAL_MS, () => this.#poll(), { onError });
    this.#noteFolder();
  }

  /** Stops, after what is being read, and seals everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.stop();
    this.#polling.stop();
    clearTimeout(this.#soon);
    for (const entry of this.#entries.values()) {
      clearTimeout(entry.soon);
      await entry.work;
      await this.#guarded(entry.followed, () => entry.followed.close());
    }
  }

  #noteFolder(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      if (!this.#isClosed) this.#scan();
    }, SETTLE_MS);
  }

  #poll(): void {
    this.#polls++;
    if (this.#polls % UPKEEP_POLLS === 0) this.registered.removeStale();
    if (this.#polls % IDLE_POLLS === 0) this.#scan();
    for (const entry of this.#entries.values()) {
      if (entry.followed.isLive || (this.#polls % IDLE_POLLS === 0 && !entry.followed.isEnded)) this.#look(entry);
    }
  }

  /** Takes in new registrations, and those of programs that continue a run. */
  #scan(): void {
    const profile = findEngine(ENGINE);
    if (!profile?.sessions) return;
    const listed = this.registered.list();
    const files = new Set(listed.map(({ file }) => file));
    for (const [file, { followed }] of this.#entries) {
      if (!files.has(file) && !followed.isLive) this.#entries.delete(file);
    }
    for (const agent of listed) {
      const known = this.#entries.get(agent.file);
      if (known?.followed.agent === agent) continue;
      if (known) known.followed.renew(agent);
      const entry = known ?? this.#entryOf(agent, profile);
      this.#entries.set(agent.file, entry);
      this.#look(entry);
    }
  }

  #entryOf(agent: FollowedAgent['agent'], profile: EngineProfile): Entry {
    const { context } = this.#options;
    const onChange = () => {
      entry.soon ??= setTimeout(() => {
        entry.soon = undefined;
        this.#look(entry);
      }, SETTLE_MS);
    };
    const followed = new FollowedAgent(agent, {
      context,
      profile,
      runs: this.#runs,
      lock: () => this.#lock(),
      onChange,
    });
    const entry: Entry = { followed, work: null, isStale: false, soon: undefined };
    return entry;
  }

  /** One for all that are read now. */
  #lock(): { release(): void } | null {
    this.#held ??= tryLockSessions(this.#options.context.home, ENGINE);
    if (!this.#held) return null;
    this.#readers++;
    return {
      release: () => {
        if (--this.#readers > 0) return;
        this.#held?.release();
        this.#held = null;
      },
    };
  }

  /** One update of a run at a time; of changes meanwhile, one more. */
  #look(entry: Entry): void {
    entry.isStale = true;
    entry.work ??= this.#update(entry).finally(() => {
      entry.work = null;
    });
  }

  async #update(entry: Entry): Promise<void> {
    while (entry.isStale && !this.#isClosed) {
      entry.isStale = false;
      await this.#guarded(entry.followed, () => entry.followed.update());
    }
  }

  async #guarded({ agent }: FollowedAgent, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onProblem(error, agent.locator);
    }
  }
}
