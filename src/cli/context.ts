import { type ConfigSettings, loadConfig } from '../config/index.ts';
import { locateDataHome, type RunContext } from '../runs/index.ts';
import { agentPort } from './agent/run-decisions.ts';
import type { CommonOptions } from './common-options.ts';
import { warnOfIgnored } from './output/ignored-settings.ts';
import { readVersion } from './version.ts';

/** The data folder and recording settings of a command working in `workspaceRoot`. */
export function openContext(
  options: CommonOptions & { quiet?: boolean },
  { workspaceRoot = process.cwd(), settings = {} }: { workspaceRoot?: string; settings?: ConfigSettings } = {},
): RunContext {
  const home = locateDataHome(process.env, options.data);
  const loaded = loadConfig({
    workspaceRoot,
    env: process.env,
    dataFolder: home.root,
    session: { name: 'command line', settings },
  });
  if (!options.quiet) warnOfIgnored(loaded.workspace);
  return {
    home,
    config: loaded.config,
    settings: loaded.settings,
    envFileKeys: loaded.envFileKeys,
    env: process.env,
    version: readVersion(),
    agents: agentPort(home.root),
  };
}
