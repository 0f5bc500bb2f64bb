import type { Config } from '../config/index.ts';
import type { SessionDefaults } from '../terminal/index.ts';

/** The section `runtime` of the configuration. */
export type RuntimeSettings = Config['runtime'];

/** The configured limits, by their names in requests. */
export function sessionDefaults(settings: RuntimeSettings): SessionDefaults {
  const { timeout_ms, max_sessions, max_agents, max_agent_depth, socket_secret, ...limits } = settings;
  return {
    timeoutMs: timeout_ms,
    limits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)),
  };
}
