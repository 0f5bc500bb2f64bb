export { type BuiltinOptions, builtinTools } from './builtin/index.ts';
export * from './commands/index.ts';
export type { ToolContext, ToolLimits } from './context.ts';
export { type ToolDefinition, tool } from './define-tool.ts';
export type { ExecuteOptions } from './execute-call.ts';
export type { FileContent } from './files/file-content.ts';
export type { FileAccess } from './files/guarded-paths.ts';
export type { WalkedEntry, WalkOptions } from './files/walk-folder.ts';
export {
  type FileChange,
  type FileEntry,
  WorkspaceFiles,
  type WorkspaceFilesOptions,
} from './files/workspace-files.ts';
export { type InputSchema, type OutputOf, readInputSchema, type StandardInput } from './input-schema.ts';
export { type CallPlace, failedResult, type PreparedCall, type RejectedCall } from './prepare-call.ts';
export { createRegistry, MAX_OUTPUT_CHARS, type ToolRegistry } from './registry.ts';
export type {
  AgentPort,
  AgentState,
  AgentStatus,
  AgentUse,
  ChildUse,
  ExecRequest,
  ExhaustedBudget,
  RunLink,
  RuntimeParts,
  RuntimePort,
  RuntimeScope,
  SpawnRequest,
  StdinRequest,
  TerminalOutput,
  TerminalPort,
} from './runtime-port.ts';
export type { InputIssue, JsonSchema, ParsedInput, Tool, ToolAnswer, ToolPlace } from './tool.ts';
export { ToolFailure } from './tool-failure.ts';
export {
  filterSource,
  type OpenedSource,
  type OpenSourceOptions,
  type SourceTool,
  type ToolSource,
} from './tool-source.ts';
export type { SpecPart, SpecText, ToolSpec } from './tool-spec.ts';
