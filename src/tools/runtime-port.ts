import type { Budgets, Usage } from '../protocol/index.ts';

/**
 * Terminals of a workspace, which outlive the call that opened them. Like those of `AgentPort`, its methods throw
 * `ToolFailure` for what a model can get wrong, such as an unknown id (`not_found`).
 */
export interface TerminalPort {
  /** Starts a program on a terminal and waits for output, for its end, or for `yieldMs`. */
  execCommand(request: ExecRequest, signal: AbortSignal): Promise<TerminalOutput>;
  /** Types into a terminal and waits in the same way; without `text` it only waits. */
  writeStdin(request: StdinRequest, signal: AbortSignal): Promise<TerminalOutput>;
}

/** Child agents of a run, which are runs of their own. */
export interface AgentPort {
  /** The same `callKey` of the same run again returns the child that is there. */
  spawnAgent(request: SpawnRequest, signal: AbortSignal): Promise<AgentState>;
  /** Until one of the agents does not run any more, or for `timeoutMs`. One that waits for people still counts as running. */
  waitForAgents(
    request: { agentIds: readonly string[]; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<AgentState[]>;
  sendInput(request: { agentId: string; text: string; interrupt: boolean }, signal: AbortSignal): Promise<AgentState>;
  closeAgent(request: { agentId: string }, signal: AbortSignal): Promise<AgentState>;
  resumeAgent(request: { agentId: string }, signal: AbortSignal): Promise<AgentState>;
}

/** Terminals and child agents of a workspace. `src/runtime/` implements it. */
export type RuntimePort = TerminalPort & AgentPort & RuntimeScope;

/** A runtime that may have only one of the two; tools of the other are not offered. */
export type RuntimeParts = Partial<TerminalPort> & Partial<AgentPort> & RuntimeScope;

/** How a runtime belongs to the runs that use it. Without `forRun`, all of them use it as it is. */
export interface RuntimeScope {
  /** What `forRun` has, if it is not here already: the tools for it are offered. */
  readonly offers?: { terminals?: boolean; agents?: boolean };
  /** The runtime as one run uses it; called once for each run that this process carries out. */
  forRun?(link: RunLink): RuntimeParts;
  /**
   * Asked before each request to a model: which budget the agents of the tree have used up together, or null. A new step
   * counts as used from then on.
   */
  reserveStep?(step: { isNew: boolean }): Promise<ExhaustedBudget | null>;
  /** The run is over. Its child agents are closed, unless the run itself may continue. */
  close?(how: { keepAgents: boolean }): Promise<void>;
}

/** What a runtime knows about the run that uses it. */
export interface RunLink {
  runId: string;
  /** Absolute path of its log. */
  walLocator: string;
  workspaceRoot: string;
  budgets: Budgets;
  /** Names of its tools. */
  tools: readonly string[];
  /** Use by the run itself so far, without its children. */
  used(): AgentUse;
  /** Ids of the children that it has been charged for. */
  children(): readonly string[];
  /** Counts the use of a child against the budgets of the run: all of it so far, not what is new. */
  charge(use: ChildUse): void;
}

export interface AgentUse {
  steps: number;
  usage: Usage;
  cost_usd: number | null;
}

/** All that a child and its own children have used since it was started. */
export interface ChildUse extends AgentUse {
  run_id: string;
}

/** A budget of a run, or of a tree of runs, that is used up. */
export interface ExhaustedBudget {
  budget: 'steps' | 'wall_time' | 'tokens' | 'cost';
  limit: number;
  used: number;
}

export interface ExecRequest {
  callId: string;
  argv: readonly string[];
  /** An absolute path. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  yieldMs: number;
  maxOutputChars: number;
}

export interface StdinRequest {
  /** The same one of the same run again types nothing again. */
  callKey: string;
  sessionId: string;
  text: string;
  yieldMs: number;
  maxOutputChars: number;
}

export interface TerminalOutput {
  /** Null when the program has ended: there is nothing to type into. */
  sessionId: string | null;
  output: string;
  truncated: boolean;
  exitCode: number | null;
}

export interface SpawnRequest {
  callId: string;
  /** Unique in the run: `<step>.<call id>`. */
  callKey: string;
  task: string;
  /** Names of tools that it gets; all of its parent's if not given. */
  tools?: readonly string[];
  model?: string;
}

/** `waiting`: for people. `closed`, `interrupted` (its process died): it can be resumed. */
export type AgentStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'closed' | 'interrupted';

export interface AgentState {
  agentId: string;
  status: AgentStatus;
  /** Its last answer, why it failed, or what it waits for. */
  text: string;
  walLocator: string;
}
