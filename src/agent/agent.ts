import { randomBytes } from 'node:crypto';
import { TachoError } from '../protocol/error-code.ts';
import type { ForkOptions, ForkResult } from './fork/fork-run.ts';
import type { BudgetTree } from './loop/effects.ts';
import type { AgentOptions } from './options.ts';
import type { ReplayOptions } from './replay/replay-log.ts';
import type { ReplayResult } from './replay/replay-run.ts';
import { AgentRun } from './run/agent-run.ts';
import type { OpenRunRequest } from './run/begin-run.ts';
import type { LiveRun } from './run/live-run.ts';
import { runPaths } from './wal/run-folder.ts';

/** Options of one run. */
export interface RunOptions {
  /** Messages before the task, for example of an earlier conversation. */
  history?: readonly { role: 'user' | 'assistant'; text: string }[] | undefined;
  /** The run that this one works for: its budgets cover both. */
  parent?: { run: AgentRun<unknown>; callId: string } | ParentRun | undefined;
  /** A name of your own for the run. */
  runId?: string | undefined;
}

/** The run that another one works for, if it is not a run of this process. */
export interface ParentRun {
  runId: string;
  callId: string;
  /** Absolute path of its log. */
  walLocator: string;
  /** The budgets of the tree of agents. */
  budget?: BudgetTree | undefined;
}

/** Options of a run that is continued. */
export interface ResumeOptions {
  /** The budgets of the tree of agents that the run belongs to. */
  budget?: BudgetTree | undefined;
  /** What the user says then; before anything else happens. */
  send?: string | undefined;
  /** Closes it at once, for this reason, whatever it was doing. */
  close?: string | undefined;
}

/**
 * An agent: a model, tools, and what they may do. One agent can carry out many runs, one after the other or at the same
 * time. Nothing happens before `run`, and nothing is read that was not passed in.
 */
export class Agent<Output = string> {
  readonly options: Readonly<AgentOptions<Output>>;
  readonly #sessionId: string;
  readonly #newId: () => string;

  constructor(options: AgentOptions<Output>) {
    checkOptions(options);
    this.options = Object.freeze({ ...options });
    this.#newId = options.newId ?? (() => randomBytes(8).toString('hex'));
    this.#sessionId = options.sessionId ?? `session-${this.#newId()}`;
  }

  /** Starts a run. Iterate over it for its events, or wait for its `result`. */
  run(task: string, { history = [], parent, runId = `run-${this.#newId()}` }: RunOptions = {}): AgentRun<Output> {
    if (typeof task !== 'string' || task.trim() === '')
      throw usage('the task is empty', 'Say what the agent is to do.');
    return this.#open(runId, { kind: 'start', task, history, parent });
  }

  /**
   * Continues a run that this or another process has left: one that waits for a decision, or whose process died. Throws
   * RUN_LOCKED, naming the holder, while another process carries it out.
   */
  resume(runId: string, options: ResumeOptions = {}): AgentRun<Output> {
    return this.#open(runId, { kind: 'resume', ...options });
  }

  /**
   * Runs a log through the loop again, with model, tools, clock and decisions served from it; nothing is executed or
   * sent. The events must be the same, byte for byte; otherwise the first difference is named. `results` replaces results
   * of tools, by the `seq` of their `tool_call_finished`.
   */
  async replay(runId: string, options: ReplayOptions = {}): Promise<ReplayResult> {
    const { replayLog } = await import('./replay/replay-log.ts');
    return await replayLog(this.options, runId, options);
  }

  /**
   * Makes a new run from the beginning of another one, up to an event, in a folder of its own with the files as they were
   * then. An agent with that folder as its `workspaceRoot`, with whatever model and policy, continues it by `resume`.
   * Throws USAGE if the event or the folder is not suitable.
   */
  async fork(runId: string, options: ForkOptions): Promise<ForkResult> {
    const { forkRun } = await import('./fork/fork-run.ts');
    let forkId = options.runId ?? `run-${this.#newId()}`;
    while (forkId === runId && options.runId === undefined) forkId = `run-${this.#newId()}`;
    return await forkRun(this.options, runId, { ...options, runId: forkId });
  }

  #open(runId: string, request: OpenRunRequest): AgentRun<Output> {
    const { log } = runPaths(this.options.workspaceRoot, runId);
    const opening = new AbortController();
    const live = import('./run/open-run.ts').then(
      async ({ openRun }): Promise<LiveRun<Output>> =>
        await openRun(this.options, { runId, sessionId: this.#sessionId, request, opening: opening.signal }),
    );
    live.catch(() => {});
    return new AgentRun({ id: runId, locator: log, live, opening });
  }
}

type Checked = Pick<AgentOptions<unknown>, 'workspaceRoot' | 'model' | 'budgets'>;

function checkOptions({ workspaceRoot, model, budgets }: Checked): void {
  if (typeof workspaceRoot !== 'string' || workspaceRoot === '') {
    throw usage('workspaceRoot is missing', 'Pass the folder the agent works in.');
  }
  if (typeof model?.stream !== 'function') {
    throw usage('model is missing', 'Pass a model, for example openaiCompatible({ baseURL, model, apiKey }).');
  }
  const numbers = Object.entries(budgets ?? {}).filter(([, value]) => value !== null && value !== undefined);
  const wrong = numbers.find(([, value]) => typeof value !== 'number' || !(value > 0));
  if (wrong) throw usage(`budgets.${wrong[0]} must be greater than zero`, 'Leave it out, or pass null, for no limit.');
}

function usage(what: string, fix: string): TachoError {
  return new TachoError('USAGE', what, { fix });
}
