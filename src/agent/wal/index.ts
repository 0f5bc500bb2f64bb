export type { HookProblem, WalHook } from './hooks.ts';
export { type AgentRunEntry, listAgentRuns, statusOfRun } from './list-runs.ts';
export { openRecordedRun, type RecordedRun, walLocator } from './recorded-run.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { pathsIn, type RunPaths, runPaths } from './run-folder.ts';
export { Vault } from './vault/vault.ts';
export { type OpenWalOptions, openWal, type Wal } from './wal.ts';
