export {
  type AgentFromConfigOptions,
  agentFromConfig,
  type ConfiguredAgent,
  type RuntimePlace,
} from './agent-from-config.ts';
export type { AgentSettings, PolicyRuleSetting } from './agent-settings.ts';
export { orderedRules, policyFromSettings } from './policy-from-settings.ts';
export { resolveAgentSettings } from './resolve-settings.ts';
export { toolsFromSettings } from './tools-from-settings.ts';
