import { type ConfigSettings, loadConfig } from '../config/index.ts';
import { locateDataHome, type RunContext } from '../runs/index.ts';
import type { CommonOptions } from './common-options.ts';
import { readVersion } from './version.ts';

/** Where runs are and how they are recorded, for a command working in `workspaceRoot`. */
export function openContext(
  options: CommonOptions,
  { workspaceRoot = process.cwd(), settings = {} }: { workspaceRoot?: string; settings?: ConfigSettings } = {},
): RunContext {
  const loaded = loadConfig({
    workspaceRoot,
    env: process.env,
    session: { name: 'command line', settings },
  });
  return {
    home: locateDataHome(process.env, options.data),
    config: loaded.config,
    env: process.env,
    version: readVersion(),
  };
}
