/**
 * Agents from a program: `tachograph/agent`. A loop on a durable log that can be stopped, resumed, replayed and forked,
 * with tools behind policy, approvals and a sandbox.
 */
import type { AgentFromConfigOptions, ConfiguredAgent } from './agent/from-config/index.ts';

export { Agent, type ParentRun, type ResumeOptions, type RunOptions } from './agent/agent.ts';
export {
  type ChildAgent,
  type ChildRequest,
  type InProcessAgentsOptions,
  inProcessAgents,
} from './agent/children/in-process.ts';
export { type Clock, systemClock } from './agent/clock.ts';
export * from './agent/fork/index.ts';
export type { Asker } from './agent/loop/effects.ts';
export * from './agent/models/index.ts';
export type { AgentOptions, Secret } from './agent/options.ts';
export * from './agent/pending/index.ts';
export type { PromptOptions } from './agent/prompt/head.ts';
export type { PromptPiece } from './agent/prompt/pieces.ts';
export type { Divergence } from './agent/replay/divergence.ts';
export type { ReplayOptions } from './agent/replay/replay-log.ts';
export type { ReplayResult } from './agent/replay/replay-run.ts';
export type { AgentRun } from './agent/run/agent-run.ts';
export type { AfterTool, BeforeTool, HookAnswer, ToolHooks } from './agent/run/hooks.ts';
export type { RunResult } from './agent/run/run-result.ts';
export type { LoopSettings, ModelPrice } from './agent/settings.ts';
export {
  type AgentRunEntry,
  listAgentRuns,
  openRecordedRun,
  type RecordedRun,
  type WalHook,
} from './agent/wal/index.ts';
export type { Approver } from './approvals/approvers/approver.ts';
export {
  type CallbackAnswer,
  callbackApprover,
  laterApprover,
  policyOnlyApprover,
} from './approvals/approvers/simple-approvers.ts';
export type { TerminalStreams } from './approvals/approvers/terminal.ts';
export { terminalApprover } from './approvals/approvers/terminal-approver.ts';
export { terminalAsker } from './approvals/approvers/terminal-asker.ts';
export type { ApprovalEntry } from './approvals/decisions/approval-folder.ts';
export type { QuestionEntry } from './approvals/decisions/question-folder.ts';
export {
  createPolicy,
  type JudgedCall,
  type Policy,
  type PolicyDefaults,
  type PolicyOptions,
} from './approvals/policy/create-policy.ts';
export { loadShellGrammar } from './approvals/shell/grammar.ts';
export { TachoError } from './protocol/error-code.ts';
export type {
  AgentData,
  AgentEvent,
  AgentEventType,
  ApprovalDecision,
  Budgets,
  HumanAnswer,
  HumanQuestion,
  PolicyRule,
  PolicyVerdict,
  ToolAction,
  ToolApprovalAnswer,
  ToolApprovalRequest,
  ToolErrorKind,
  ToolResult,
  Usage,
} from './protocol/index.ts';
export { builtinTools } from './tools/builtin/index.ts';
export { type OpenCommandsOptions, type OpenedCommands, openCommands } from './tools/commands/index.ts';
export * from './tools/index.ts';
export * from './tools/mcp/index.ts';

/**
 * The bridge from files to `new Agent(…)`: reads the configuration of the workspace, as far as it is trusted, and of the
 * user. Throws CONFIG_…, CREDENTIALS_MISSING and POLICY_INVALID. Loaded only when it is called: programs that pass all
 * options themselves do not pay for it.
 */
export async function agentFromConfig<Output = string>(
  workspaceRoot: string,
  options: AgentFromConfigOptions<Output> = {},
): Promise<ConfiguredAgent<Output>> {
  const fromConfig = await import('./agent/from-config/index.ts');
  const { workspaceRuntime } = await import('./runtime/port/index.ts');
  return await fromConfig.agentFromConfig(workspaceRoot, { runtime: workspaceRuntime, ...options });
}
export type {
  AgentFromConfigOptions,
  AgentSettings,
  ConfiguredAgent,
  RuntimePlace,
} from './agent/from-config/index.ts';
