import { type LoadedConfig, loadConfig } from '../../config/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { warnOfIgnored } from '../output/ignored-settings.ts';

/** Data folder and workspace of a command, for reading the configuration. */
export function here({ data }: CommonOptions) {
  return { workspaceRoot: process.cwd(), env: process.env, dataFolder: data };
}

/** The configuration of the current folder; warns about ignored settings. */
export function loadHere(options: CommonOptions): LoadedConfig {
  const loaded = loadConfig(here(options));
  warnOfIgnored(loaded.workspace);
  return loaded;
}
