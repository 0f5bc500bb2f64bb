import type { RequestLog } from './request-log.ts';
import type { ScenarioMemory, ScenarioName } from './scenarios.ts';

/** What the server knows between two requests. */
export interface ServerState {
  /** For requests whose path names none. */
  defaultScenario: ScenarioName;
  /** Between the parts of a slow reply. */
  pauseMs: number;
  /** How many requests the scenario r429 refuses for each key. */
  refusals: number;
  log: RequestLog;
  /** By scenario and key. */
  memories: Map<string, ScenarioMemory>;
}
