/** Persistent terminals of a workspace, from a program: `tachograph/runtime`. */
export {
  type CommandResult,
  type ErrorCode,
  type ExecOutput,
  type RuntimeMethod,
  type RuntimeParams,
  type RuntimeResult,
  type SessionInfo,
  type SessionLimits,
  TachoError,
} from './protocol/index.ts';
export { RuntimeClient } from './runtime/client/runtime-client.ts';
export { type EnsureOptions, ensureServer, findServer } from './runtime/daemon/ensure-server.ts';
export { type WorkspaceRuntimeOptions, workspaceRuntime } from './runtime/port/index.ts';
