import type { Config, EnvFileKey } from '../config/index.ts';
import { createFileJournal, type Journal } from '../journal/index.ts';
import type { SettingsFrom } from '../protocol/index.ts';
import type { RunFolder } from '../recording/index.ts';
import type { DataHome } from './data-home.ts';

/** What directing a run needs from the outside; nothing below reads the environment or the configuration by itself. */
export interface RunContext {
  home: DataHome;
  config: Config;
  /** Where the configuration came from, for the records of runs; they say nothing of it unless given. */
  settings?: readonly SettingsFrom[];
  /** Keys in the `.env` of the workspace, for engines that take them. */
  envFileKeys?: readonly EnvFileKey[];
  /** The caller's environment, from which only listed names are taken. */
  env: NodeJS.ProcessEnv;
  version: string;
}

export function openJournal(folder: RunFolder, config: Config): Journal {
  return createFileJournal({
    locate: () => folder.audit,
    fsync: config.journal.fsync,
    fsyncIntervalMs: config.journal.fsync_interval_ms,
  });
}
