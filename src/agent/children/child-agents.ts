import { TachoError } from '../../protocol/index.ts';
import type { AgentStatus, AgentUse, ChildUse, ExhaustedBudget, RunLink } from '../../tools/index.ts';
import { listAgentRuns, statusOfRun } from '../wal/list-runs.ts';
import { runPaths } from '../wal/run-folder.ts';
import { Changes } from './changes.ts';
import { agentHeldElsewhere, agentNotFound, agentNotRunning, agentTooDeep } from './child-errors.ts';
import { childRunId } from './child-id.ts';
import { Lineage } from './lineage.ts';
import { type RunFacts, readRunFacts } from './run-facts.ts';
import { isEnded, RunningAgents } from './running-agents.ts';
import { SharedBudgets } from './shared-budgets.ts';
import { spawnedModel } from './spawn-call.ts';
import type { ChildKind, ChildOrder, ChildStarter, ParentLink, RunningChild } from './starter.ts';
import { Turns } from './turns.ts';

export interface ChildAgentsOptions<Setup> {
  workspaceRoot: string;
  starter: ChildStarter<Setup>;
  /** Maximum number of agents that run at the same time. */
  maxAgents: number;
  /** Maximum number of levels below the first run. */
  maxDepth: number;
}

/** A child agent as it is now. */
export interface ChildInfo {
  agentId: string;
  parentId: string | null;
  status: AgentStatus;
  /** Its answer, why it failed or was stopped, or what it waits for. */
  text: string;
  walLocator: string;
  /** Use by it and its own children. */
  use: ChildUse;
}

export interface SpawnChild<Setup> extends ChildKind {
  /** The run that it works for, and the call that asks for it; null for an agent without a parent. */
  parent: (ParentLink & { callKey: string }) | null;
  /** Of an agent without a parent. */
  runId?: string | undefined;
  task: string;
  setup: Setup;
}

/** Which agents a call is about. With `parentId`, only agents below that run are found. */
interface AboutChildren<Setup> {
  parentId?: string | undefined;
  /** Used if one has to be started whose own setup is not known. */
  setup?: Setup | undefined;
}

export interface AboutChild<Setup> extends AboutChildren<Setup> {
  agentId: string;
}

/** Agents that another process carries out report nothing to this one. */
const POLL_INTERVAL_MS = 500;
const PARENT_ENDED = 'its parent has ended';

/**
 * The child agents of a workspace: starts them, knows which of them run, and shares the budgets of their trees. What it
 * says about one that does not run is read from its log, so it is the same after a crash.
 */
export class ChildAgents<Setup = undefined> {
  readonly #options: ChildAgentsOptions<Setup>;
  readonly #changes = new Changes();
  /** Of each agent: starts, resumes and closes come one after the other. */
  readonly #turns = new Turns();
  readonly #lineage: Lineage;
  readonly #budgets: SharedBudgets;
  readonly #running: RunningAgents<Setup>;

  constructor(options: ChildAgentsOptions<Setup>) {
    this.#options = options;
    this.#lineage = new Lineage(options.workspaceRoot);
    const common = { workspaceRoot: options.workspaceRoot, lineage: this.#lineage, changes: this.#changes };
    this.#budgets = new SharedBudgets({
      ...common,
      charge: (parentId, use) => this.#running.get(parentId)?.child?.charge(use),
      isReported: (runId) => this.#running.isRunning(runId),
    });
    this.#running = new RunningAgents({
      ...common,
      starter: options.starter,
      maxAgents: options.maxAgents,
      budgets: this.#budgets,
      turns: this.#turns,
      onStopped: (runId) => this.closeChildren(runId),
    });
  }

  /** `running` counts those that are being started. */
  counts(): { running: number; waiting: number } {
    return this.#running.counts();
  }

  /** A run of this process uses these agents: what they use is counted in its log. */
  attach(link: RunLink): void {
    this.#budgets.attach(link);
  }

  /** Without runs that use them, decisions are not watched: that must not keep a program from ending. */
  detach(runId: string): void {
    if (this.#budgets.detach(runId) === 0) this.#running.forgetWaiting();
  }

  /** Starts an agent. The same call of the same parent again returns the agent that is there. */
  async spawn({ parent, runId: given, task, tools, model, setup }: SpawnChild<Setup>): Promise<ChildInfo> {
    const runId = parent ? childRunId(parent.runId, parent.callKey) : given;
    if (runId === undefined) throw new TachoError('INVALID_PARAMS', 'an agent without a parent needs an id');
    const kind = { tools, model, setup };
    return await this.#turns.take(runId, async () => {
      if (this.#running.has(runId)) return await this.#info(runId);
      const facts = await readRunFacts(this.#options.workspaceRoot, runId);
      if (facts && (facts.parent?.run_id ?? null) !== (parent?.runId ?? null)) throw runExists(runId);
      if (!facts) {
        await this.#refuseTooDeep(parent?.runId ?? null);
        await this.#running.startNew({ runId, ...kind, how: { kind: 'start', task, parent } });
      } else if (facts.status === 'interrupted') await this.#running.start({ runId, ...kind, how: { kind: 'resume' } });
      else if (facts.status === 'waiting') this.#running.watch(runId, kind, facts);
      return await this.#info(runId);
    });
  }

  /** Until one of the agents neither runs nor waits for people, or for `timeoutMs`. */
  async wait(
    { agentIds, timeoutMs, ...about }: AboutChildren<Setup> & { agentIds: readonly string[]; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<ChildInfo[]> {
    const deadline = performance.now() + timeoutMs;
    for (const agentId of agentIds) await this.#require({ agentId, ...about });
    for (;;) {
      signal.throwIfAborted();
      const change = this.#changes.next();
      try {
        const infos = await Promise.all(agentIds.map((id) => this.#info(id)));
        const left = deadline - performance.now();
        if (left <= 0 || infos.some(({ status }) => !isActive(status))) return infos;
        const isElsewhere = infos.some(({ agentId, status }) => status === 'running' && !this.#running.has(agentId));
        await change.orAfter(isElsewhere ? Math.min(left, POLL_INTERVAL_MS) : left, signal);
      } finally {
        change.stop();
      }
    }
  }

  /** Sends a message to an agent. One that waits for people is started for it. */
  async send({ text, interrupt, ...about }: AboutChild<Setup> & Message): Promise<ChildInfo> {
    const { agentId } = about;
    await this.#require(about);
    const child = this.#running.get(agentId)?.child ?? (await this.#turns.take(agentId, () => this.#wake(about)));
    try {
      await child.send({ text, interrupt });
    } catch (error) {
      const { status } = await this.#info(agentId);
      throw status === 'running' ? error : agentNotRunning(agentId, status);
    }
    return await this.#info(agentId);
  }

  /** Stops an agent and those below it. It can be resumed. */
  async close({ reason, ...about }: AboutChild<Setup> & { reason: string }): Promise<ChildInfo> {
    const { agentId } = about;
    await this.#require(about);
    return await this.#turns.take(agentId, async () => {
      const entry = this.#running.get(agentId);
      if (entry?.child) {
        entry.child.close(reason);
        await entry.finished;
        return await this.#info(agentId);
      }
      const facts = await this.#facts(agentId);
      if (facts.status === 'running') throw agentHeldElsewhere(agentId);
      if (facts.status === 'waiting' || facts.status === 'interrupted') {
        await this.#running.start({ ...(await this.#orderOf(about, facts)), how: { kind: 'close', reason } });
        await this.#running.get(agentId)?.finished;
      }
      return await this.#info(agentId);
    });
  }

  /** Continues an agent that was closed, waits, or whose process died. */
  async resume(about: AboutChild<Setup>): Promise<ChildInfo> {
    const { agentId } = about;
    await this.#require(about);
    return await this.#turns.take(agentId, async () => {
      if (!this.#running.isRunning(agentId)) {
        const facts = await this.#facts(agentId);
        if (facts.status === 'running') throw agentHeldElsewhere(agentId);
        if (isEnded(facts.status)) throw agentNotRunning(agentId, facts.status);
        await this.#running.start({ ...(await this.#orderOf(about, facts)), how: { kind: 'resume' } });
      }
      return await this.#info(agentId);
    });
  }

  /** All agents below a run, or below any run; the newest first. */
  async list({ parentId }: { parentId?: string | undefined } = {}): Promise<Omit<ChildInfo, 'text' | 'use'>[]> {
    const found: Omit<ChildInfo, 'text' | 'use'>[] = [];
    for (const run of await listAgentRuns(this.#options.workspaceRoot)) {
      const { run_id: agentId, parent, locator: walLocator } = run;
      if (parent === null && !this.#running.has(agentId)) continue;
      if (parentId !== undefined && !(await this.#isBelow(agentId, parentId))) continue;
      const status = this.#running.isRunning(agentId) ? 'running' : statusOfRun(run);
      found.push({ agentId, parentId: parent?.run_id ?? null, status, walLocator });
    }
    return found;
  }

  /** What a run that is not a child of these agents has used so far. */
  used(runId: string, own: AgentUse): void {
    this.#budgets.used(runId, own);
  }

  /** Before a request to a model of this run: null, or the budget of its tree that is used up. */
  reserve(runId: string, own: AgentUse, step: { isNew: boolean }): ExhaustedBudget | null {
    return this.#budgets.reserve(runId, own, step);
  }

  /** What the children of a run have used. Waits, for `waitMs` at most, until `version` is another one than `seen`. */
  async usage(
    runId: string,
    { seen, waitMs }: { seen: number; waitMs: number },
    signal: AbortSignal,
  ): Promise<{ version: number; live: number; children: ChildUse[] }> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const change = this.#changes.next();
      try {
        const { version, children } = this.#budgets.childrenOf(runId);
        const live = this.#running.ids().filter((id) => this.#budgets.isBelow(id, runId)).length;
        const left = deadline - performance.now();
        if (version !== seen || live === 0 || left <= 0) return { version, live, children };
        await change.orAfter(left, signal);
      } finally {
        change.stop();
      }
    }
  }

  /** Closes the agents that work for a run. */
  async closeChildren(parentId: string): Promise<void> {
    const children = this.#running.childrenOf(parentId);
    // One that cannot be closed must not keep the others.
    await Promise.allSettled(children.map((agentId) => this.close({ agentId, reason: PARENT_ENDED })));
  }

  /** Closes all agents that run, and returns their number. Those that wait for people stay as they are. */
  async closeAll(reason: string): Promise<number> {
    this.#running.forgetWaiting();
    const running = this.#running.ids();
    await Promise.allSettled(running.map((agentId) => this.close({ agentId, reason })));
    return running.length;
  }

  /** The same, and none is started any more. */
  async end(reason: string): Promise<void> {
    this.#running.refuseNew();
    await this.closeAll(reason);
  }

  async #wake(about: AboutChild<Setup>): Promise<RunningChild> {
    const { agentId } = about;
    if (!this.#running.isRunning(agentId)) {
      const facts = await this.#facts(agentId);
      if (facts.status === 'running') throw agentHeldElsewhere(agentId);
      if (facts.status !== 'waiting') throw agentNotRunning(agentId, facts.status);
      await this.#running.start({ ...(await this.#orderOf(about, facts)), how: { kind: 'resume' } });
    }
    const child = this.#running.get(agentId)?.child;
    if (!child) throw agentNotRunning(agentId, 'interrupted');
    return child;
  }

  /** What it was spawned with: as this process knows it, otherwise as the logs have it. */
  async #orderOf(
    { agentId: runId, setup }: AboutChild<Setup>,
    { parent, tools }: RunFacts,
  ): Promise<Omit<ChildOrder<Setup>, 'how'>> {
    const known = this.#running.get(runId)?.kind;
    if (known) return { runId, ...known, setup: setup ?? known.setup };
    const { workspaceRoot } = this.#options;
    const model = parent ? await spawnedModel(workspaceRoot, { runId, parentId: parent.run_id }) : null;
    return { runId, tools, model, setup: setup as Setup };
  }

  /** Throws AGENT_NOT_FOUND. One that waits, and that this process has not known so far, is watched from now on. */
  async #require({ agentId, parentId, setup }: AboutChild<Setup>): Promise<void> {
    const [found, ...above] = await this.#lineage.chain(agentId);
    if (found === undefined || (parentId !== undefined && !above.includes(parentId))) throw agentNotFound(agentId);
    if (this.#running.has(agentId) || setup === undefined) return;
    await this.#turns.take(agentId, async () => {
      if (this.#running.has(agentId)) return;
      const facts = await this.#facts(agentId);
      if (facts.status !== 'waiting') return;
      const { tools, model } = await this.#orderOf({ agentId, setup }, facts);
      this.#running.watch(agentId, { tools, model, setup }, facts);
    });
  }

  async #isBelow(runId: string, ancestorId: string): Promise<boolean> {
    return (await this.#lineage.chain(runId)).slice(1).includes(ancestorId);
  }

  async #info(agentId: string): Promise<ChildInfo> {
    const entry = this.#running.get(agentId);
    if (entry && this.#running.isRunning(agentId)) {
      const walLocator = runPaths(this.#options.workspaceRoot, agentId).log;
      const { parentId } = entry;
      return { agentId, parentId, status: 'running', text: '', walLocator, use: this.#budgets.totalOf(agentId) };
    }
    const facts = await this.#facts(agentId);
    await this.#budgets.adopt(agentId, facts);
    const { status, text, walLocator, parent } = facts;
    const use = this.#budgets.totalOf(agentId);
    return { agentId, parentId: parent?.run_id ?? null, status, text, walLocator, use };
  }

  async #facts(runId: string): Promise<RunFacts> {
    const facts = await readRunFacts(this.#options.workspaceRoot, runId);
    if (facts) return facts;
    throw agentNotFound(runId);
  }

  async #refuseTooDeep(parentId: string | null): Promise<void> {
    if (parentId === null) return;
    const { maxDepth } = this.#options;
    const chain = await this.#lineage.chain(parentId);
    if (chain.length === 0) throw agentNotFound(parentId);
    if (chain.length > maxDepth) throw agentTooDeep(maxDepth);
  }
}

interface Message {
  text: string;
  interrupt: boolean;
}

function isActive(status: AgentStatus): boolean {
  return status === 'running' || status === 'waiting';
}

function runExists(runId: string): TachoError {
  return new TachoError('RUN_EXISTS', `there is already a run "${runId}" that works for something else`, {
    facts: { run_id: runId },
  });
}
