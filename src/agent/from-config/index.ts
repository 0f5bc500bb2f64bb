export { type AgentFromConfigOptions, agentFromConfig, type ConfiguredAgent } from './agent-from-config.ts';
export type { AgentSettings } from './agent-settings.ts';
