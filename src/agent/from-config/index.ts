export { type AgentFromConfigOptions, agentFromConfig, type ConfiguredAgent } from './agent-from-config.ts';
export type {
  AgentSettings,
  IgnoredSetting,
  McpServerSettings,
  ModelSettings,
  PolicyDefault,
  PolicyLevel,
  PolicyRuleSetting,
  PolicySettings,
  PromptSettings,
  SandboxSettings,
} from './agent-settings.ts';
export { modelsFromSettings } from './models-from-settings.ts';
export { type ResolveSettingsOptions, resolveAgentSettings } from './resolve-settings.ts';
export type { SecretKey } from './secret-key.ts';
