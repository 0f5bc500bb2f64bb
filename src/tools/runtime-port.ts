/**
 * Terminals and child agents of a workspace, which outlive the call that opened them. `src/runtime/` implements it. Every
 * method throws `ToolFailure` for what a model can get wrong, such as an unknown id (`not_found`).
 */
export interface RuntimePort {
  /** Starts a program on a terminal and waits for output, for its end, or for `yieldMs`. */
  execCommand(request: ExecRequest, signal: AbortSignal): Promise<TerminalOutput>;
  /** Types into a terminal and waits in the same way; without `text` it only waits. */
  writeStdin(request: StdinRequest, signal: AbortSignal): Promise<TerminalOutput>;
  spawnAgent(request: SpawnRequest, signal: AbortSignal): Promise<AgentState>;
  /** Until one of the agents has ended or needs input, or for `timeoutMs`. */
  waitForAgents(
    request: { agentIds: readonly string[]; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<AgentState[]>;
  sendInput(request: { agentId: string; text: string; interrupt: boolean }, signal: AbortSignal): Promise<AgentState>;
  closeAgent(request: { agentId: string }, signal: AbortSignal): Promise<AgentState>;
  resumeAgent(request: { agentId: string }, signal: AbortSignal): Promise<AgentState>;
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
  task: string;
  /** Names of tools that it gets; all of its parent's if not given. */
  tools?: readonly string[];
  model?: string;
}

export interface AgentState {
  agentId: string;
  status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'closed';
  /** Its last answer, or why it failed. */
  text: string;
  walLocator: string;
}
