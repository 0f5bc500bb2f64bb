import path from 'node:path';
import {
  type Config,
  dataFolderOf,
  formatSource,
  freezeDeep,
  type LoadedConfig,
  loadConfig,
  realFolder,
  type SessionSettings,
} from '../../config/index.ts';
import type { AgentSettings, IgnoredSetting, SandboxSettings } from './agent-settings.ts';
import { requirePrices } from './check-prices.ts';
import { checkSandbox } from './check-sandbox.ts';
import { KeyRing } from './key-ring.ts';
import { loopSettings, mcpServers, modelSettings } from './model-settings.ts';
import { policySettings } from './policy-settings.ts';
import { promptSettings } from './prompt-settings.ts';

export interface ResolveSettingsOptions {
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The data folder with the user's settings and trust (default: from `env`). */
  home?: string | undefined;
  /** Settings for this session only; later ones win. */
  session?: SessionSettings | readonly SessionSettings[] | undefined;
}

/**
 * What files, environment and session say about an agent. Reads only the files of the configuration, and connects to
 * nothing. Throws CONFIG_… errors.
 */
export function resolveAgentSettings(workspaceRoot: string, options: ResolveSettingsOptions = {}): AgentSettings {
  const { env = process.env, session } = options;
  const dataFolder = dataFolderOf(env, options.home);
  const loaded = loadConfig({ workspaceRoot, env, dataFolder, session });
  const { config } = loaded;
  const keys = new KeyRing(loaded, env);
  const model = modelSettings(config, keys);
  const servers = mcpServers(config, keys);
  const { max_steps, max_wall_ms, max_tokens, max_cost_usd } = config.safety;
  const settings: AgentSettings = {
    workspaceRoot: realFolder(workspaceRoot),
    dataFolder,
    model,
    loop: loopSettings(config),
    budgets: { max_steps, max_wall_ms, max_tokens, max_cost_usd },
    prompt: promptSettings(loaded),
    tools: config.tools,
    policy: policySettings(loaded),
    approver: config.safety.approver,
    sandbox: sandboxSettings(config, workspaceRoot),
    skills: config.skills,
    mcpServers: servers,
    secrets: [...new Set([model.key, ...servers.map(({ token }) => token)])].filter((key) => key !== null),
    secretNames: config.environment.secret_names,
    inherit: [...config.environment.inherit, ...config.environment.pass],
    isTrusted: loaded.workspace.trusted,
    ignored: [...ignoredSettings(loaded), ...keys.ignored],
  };
  checkSandbox(settings.sandbox, loaded);
  const models = [model.executor, model.planner].filter((name) => name !== null);
  requirePrices(settings, models, loaded.origin('safety.max_cost_usd').source);
  return freezeDeep(settings);
}

function sandboxSettings({ sandbox }: Config, workspaceRoot: string): SandboxSettings {
  const absolute = (paths: readonly string[]) => paths.map((one) => path.resolve(workspaceRoot, one));
  return {
    profile: sandbox.profile,
    network: sandbox.network === 'default' ? null : sandbox.network,
    read: absolute(sandbox.read),
    write: absolute(sandbox.write),
  };
}

function ignoredSettings({ workspace, overruled }: LoadedConfig): IgnoredSetting[] {
  const asIgnored = (reason: IgnoredSetting['reason']) => (one: (typeof overruled)[number]) => {
    return { path: one.path, value: one.value, source: formatSource(one.source), reason };
  };
  return [
    ...(workspace.trusted ? [] : workspace.needsTrust).map(asIgnored('untrusted')),
    ...overruled.map(asIgnored('looser')),
  ];
}
