import fs from 'node:fs';
import { isLocked } from '../../journal/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { AgentStatus } from '../../tools/index.ts';
import { runPaths } from '../wal/run-folder.ts';
import type { Changes } from './changes.ts';
import { agentHeldElsewhere, agentLimitReached, runtimeEnding } from './child-errors.ts';
import type { Lineage } from './lineage.ts';
import { type RunFacts, readRunFacts } from './run-facts.ts';
import type { SharedBudgets } from './shared-budgets.ts';
import { type ChildKind, type ChildOrder, type ChildStarter, DiedEarly, type RunningChild } from './starter.ts';
import type { Turns } from './turns.ts';
import { untilDecided } from './until-decided.ts';

interface RunningAgentsParts<Setup> {
  workspaceRoot: string;
  starter: ChildStarter<Setup>;
  /** Maximum number of agents that run at the same time. */
  maxAgents: number;
  lineage: Lineage;
  budgets: SharedBudgets;
  changes: Changes;
  turns: Turns;
  /** An agent will not continue by itself: those below it are closed. */
  onStopped(runId: string): Promise<void>;
}

/** What an agent was spawned with. */
export type SpawnedWith<Setup> = ChildKind & { setup: Setup };

interface Entry<Setup> {
  kind: SpawnedWith<Setup>;
  parentId: string | null;
  /** Null while it starts, and while it waits for people. */
  child: RunningChild | null;
  /** While it waits for people: ends the watch of their decisions. */
  watch: AbortController | null;
  /** Settles when it does not run any more, and all that follows from this is done. */
  finished: Promise<void>;
}

const MAX_ATTEMPTS = 2;

/** The agents that run, and those that are continued as soon as people have decided. */
export class RunningAgents<Setup> {
  readonly #parts: RunningAgentsParts<Setup>;
  readonly #entries = new Map<string, Entry<Setup>>();
  #isEnding = false;

  constructor(parts: RunningAgentsParts<Setup>) {
    this.#parts = parts;
  }

  get(runId: string): Readonly<Entry<Setup>> | undefined {
    return this.#entries.get(runId);
  }

  has(runId: string): boolean {
    return this.#entries.has(runId);
  }

  isRunning(runId: string): boolean {
    return this.#entries.get(runId)?.watch === null;
  }

  ids(): string[] {
    return [...this.#entries.keys()];
  }

  childrenOf(parentId: string): string[] {
    return [...this.#entries].filter(([, entry]) => entry.parentId === parentId).map(([id]) => id);
  }

  /** `running` counts those that are being started. */
  counts(): { running: number; waiting: number } {
    const waiting = [...this.#entries.values()].filter(({ watch }) => watch !== null).length;
    return { running: this.#entries.size - waiting, waiting };
  }

  /** From now on none is started. */
  refuseNew(): void {
    this.#isEnding = true;
  }

  /** A process that died before its run had begun has done nothing, so another one may begin it. */
  async startNew(order: ChildOrder<Setup>): Promise<void> {
    this.#removeUnbegun(order.runId);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.start(order);
        return;
      } catch (error) {
        if (!(error instanceof DiedEarly)) throw error;
        this.#removeUnbegun(order.runId);
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Resolves when it runs, or if it has begun and died already. */
  async start(order: ChildOrder<Setup>): Promise<void> {
    const { runId, how, tools, model, setup } = order;
    const { maxAgents, workspaceRoot, starter, lineage, changes, budgets } = this.#parts;
    if (how.kind === 'start') lineage.note(runId, how.parent?.runId ?? null);
    const [, parentId = null] = await lineage.chain(runId);
    if (this.#isEnding) throw runtimeEnding();
    if (how.kind !== 'close' && this.counts().running >= maxAgents) throw agentLimitReached(maxAgents);
    this.#entries.get(runId)?.watch?.abort();
    const kind = { tools, model, setup };
    const entry: Entry<Setup> = { kind, parentId, child: null, watch: null, finished: Promise.resolve() };
    // From here on it counts.
    this.#entries.set(runId, entry);
    try {
      if (parentId !== null) await budgets.adopt(parentId);
      budgets.begin(runId, parentId, how.kind === 'start' ? null : await readRunFacts(workspaceRoot, runId));
      const child = await starter.start(order, {
        reserve: async (own, step) => budgets.reserve(runId, own, step),
        used: (own) => budgets.used(runId, own),
      });
      budgets.limit(runId, child.budgets);
      entry.child = child;
      entry.finished = child.ended.then(() => this.#finish(runId, entry));
    } catch (error) {
      this.#entries.delete(runId);
      changes.notify();
      const hasBegun = error instanceof DiedEarly && (await readRunFacts(workspaceRoot, runId)) !== null;
      if (!hasBegun) throw error;
    }
  }

  /** Continues an agent as soon as something that it waits for was decided. */
  watch(runId: string, kind: SpawnedWith<Setup>, { parent, waitsFor: ids }: RunFacts): void {
    if (this.#isEnding) return;
    const watch = new AbortController();
    const finished = Promise.resolve();
    this.#entries.set(runId, { kind, parentId: parent?.run_id ?? null, child: null, watch, finished });
    untilDecided(this.#parts.workspaceRoot, runId, { ids, signal: watch.signal })
      .then(() => this.#resumeDecided(runId, watch))
      // The watch was ended; or the agent cannot be started, and resuming it says why.
      .catch(() => {});
  }

  /** They stay as they are in their logs. */
  forgetWaiting(): void {
    for (const [runId, { watch }] of this.#entries) {
      if (!watch) continue;
      watch.abort();
      this.#entries.delete(runId);
    }
    this.#parts.changes.notify();
  }

  /** What follows from its end. Its log has everything, whatever its process said last. */
  async #finish(runId: string, entry: Entry<Setup>): Promise<void> {
    entry.child = null;
    // Of a damaged log nothing is known here; whoever asks for the agent gets the reason.
    const facts = await readRunFacts(this.#parts.workspaceRoot, runId).catch(() => null);
    if (this.#entries.get(runId) === entry) this.#entries.delete(runId);
    if (facts?.status === 'waiting') this.watch(runId, entry.kind, facts);
    this.#parts.budgets.end(runId, facts);
    this.#parts.changes.notify();
    if (facts && (isEnded(facts.status) || facts.status === 'closed')) await this.#parts.onStopped(runId);
  }

  async #resumeDecided(runId: string, watch: AbortController): Promise<void> {
    for (;;) {
      const change = this.#parts.changes.next();
      try {
        return await this.#parts.turns.take(runId, async () => {
          const entry = this.#entries.get(runId);
          if (entry?.watch === watch) await this.start({ runId, ...entry.kind, how: { kind: 'resume' } });
        });
      } catch (error) {
        if (!(error instanceof TachoError) || error.code !== 'AGENT_LIMIT_REACHED') throw error;
        // There is room when another one has ended.
        await change.orAfter(Number.POSITIVE_INFINITY, watch.signal);
      } finally {
        change.stop();
      }
    }
  }

  /** A folder without a task is left if the process that was to begin the run died. Nothing of it has happened. */
  #removeUnbegun(runId: string): void {
    const { folder } = runPaths(this.#parts.workspaceRoot, runId);
    if (!fs.existsSync(folder)) return;
    if (isLocked(folder)) throw agentHeldElsewhere(runId);
    fs.rmSync(folder, { recursive: true });
  }
}

/** It cannot continue. */
export function isEnded(status: AgentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
