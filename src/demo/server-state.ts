import type { RequestLog } from './request-log.ts';
import type { ScenarioMemory, ScenarioName } from './scenarios.ts';

/** The state of the server between requests. */
export interface ServerState {
  /** For requests whose path names none. */
  defaultScenario: ScenarioName;
  /** Between the parts of a slow reply. */
  pauseMs: number;
  /** Number of requests that the scenario r429 refuses per key. */
  refusals: number;
  log: RequestLog;
  /** By scenario and key. */
  memories: Map<string, ScenarioMemory>;
}
