import type { Config } from '../config/index.ts';
import type { SessionDefaults } from '../terminal/index.ts';

/** The section `runtime` of the configuration. */
export type RuntimeSettings = Config['runtime'];

/** The limits that are set, by the names that a request has for them. */
export function sessionDefaults(settings: RuntimeSettings): SessionDefaults {
  const { timeout_ms, max_sessions: _, socket_secret: __, ...limits } = settings;
  return {
    timeoutMs: timeout_ms,
    limits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)),
  };
}
