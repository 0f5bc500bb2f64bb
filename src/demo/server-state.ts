import type { ModelRequest } from './model-request.ts';
import type { RequestLog } from './request-log.ts';
import type { Decision, ScenarioMemory, ScenarioName } from './scenarios.ts';

/** A script of a program: the decision on each request of the task. */
export type Script = (request: ModelRequest) => Decision;

/** The state of the server between requests. */
export interface ServerState {
  /** For requests whose path names none. */
  defaultScenario: ScenarioName;
  /** Between the parts of a slow reply. */
  pauseMs: number;
  /** Number of requests that the scenario r429 refuses per key. */
  refusals: number;
  /** Takes the place of the scenarios. */
  script: Script | null;
  log: RequestLog;
  /** By scenario and key. */
  memories: Map<string, ScenarioMemory>;
}
