import { dataFolderOf, loadConfig } from '../../config/index.ts';

/** Whether the configuration of the current directory defines an engine of this name. */
export function isDefinedEngine(name: string): boolean {
  const { env } = process;
  const { config, workspace } = loadConfig({ workspaceRoot: process.cwd(), env, dataFolder: dataFolderOf(env) });
  // Of an untrusted folder too: the run then explains how to trust it.
  const isIgnored = !workspace.trusted && workspace.needsTrust.some(({ path }) => isOf(path, name));
  return Object.hasOwn(config.engines.defined, name) || isIgnored;
}

function isOf(path: string, name: string): boolean {
  return `${path}.`.startsWith(`engines.${name}.`);
}
