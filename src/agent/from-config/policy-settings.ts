import { formatSource, type LoadedConfig } from '../../config/index.ts';
import type { PolicyDefault, PolicySettings } from './agent-settings.ts';

/** The policy with the level of each part. */
export function policySettings(loaded: LoadedConfig): PolicySettings {
  return {
    write: policyDefault(loaded, 'write'),
    command: policyDefault(loaded, 'command'),
    tool: policyDefault(loaded, 'tool'),
    rules: loaded.rules.map(({ rule, level, source }) => ({ rule, level, source: formatSource(source) })),
  };
}

function policyDefault(loaded: LoadedConfig, key: 'write' | 'command' | 'tool'): PolicyDefault {
  const { source } = loaded.origin(`safety.${key}`);
  return {
    decision: loaded.config.safety[key],
    level: loaded.levelOf(`safety.${key}`),
    source: formatSource(source),
  };
}
