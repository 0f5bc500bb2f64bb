import { AgentLog } from './agent-log.ts';

/** Logs of which nothing was asked for longest are forgotten first. */
const MAX_LOGS = 64;

/** Logs that were read, so that the next look at one of them costs only what is new in it. */
export class AgentLogs {
  readonly #logs = new Map<string, AgentLog>();

  /** As it is now. Throws RUN_NOT_FOUND if there is no such run. */
  async get(workspaceRoot: string, runId: string): Promise<AgentLog> {
    const key = `${workspaceRoot}\n${runId}`;
    const log = this.#logs.get(key) ?? new AgentLog(workspaceRoot, runId);
    this.#logs.delete(key);
    try {
      await log.update();
    } catch (error) {
      this.#logs.delete(key);
      throw error;
    }
    this.#logs.set(key, log);
    for (const oldest of this.#logs.keys()) {
      if (this.#logs.size <= MAX_LOGS) break;
      this.#logs.delete(oldest);
    }
    return log;
  }
}
