import type { Config, EnvFileKey } from '../config/index.ts';
import { createFileJournal, type Journal } from '../journal/index.ts';
import type { SettingsFrom } from '../protocol/index.ts';
import type { RunFolder } from '../recording/index.ts';
import type { AgentDecisions } from './approvals/agent-decisions.ts';
import type { DataHome } from './data-home.ts';

/** The dependencies of a run; code below does not read the environment or the configuration itself. */
export interface RunContext {
  home: DataHome;
  config: Config;
  /** The origin of the configuration, for the records of runs; omitted from them unless given. */
  settings?: readonly SettingsFrom[];
  /** Keys in the workspace's `.env`, for engines that use them. */
  envFileKeys?: readonly EnvFileKey[];
  /** The caller's environment; only listed names are used. */
  env: NodeJS.ProcessEnv;
  version: string;
  /** Where requests of our own agent are decided; without it, they cannot be. */
  agents?: AgentDecisions;
}

export function openJournal(folder: RunFolder, config: Config): Journal {
  return createFileJournal({
    locate: () => folder.audit,
    fsync: config.journal.fsync,
    fsyncIntervalMs: config.journal.fsync_interval_ms,
  });
}
