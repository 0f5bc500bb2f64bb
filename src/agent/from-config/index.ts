export {
  type AgentFromConfigOptions,
  agentFromConfig,
  type ConfiguredAgent,
  type RuntimePlace,
} from './agent-from-config.ts';
export type { AgentSettings } from './agent-settings.ts';
