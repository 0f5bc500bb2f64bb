import type { AgentMethod, CheckedParams, RuntimeResult } from '../../protocol/index.ts';
import type { DaemonAgents } from './agent-calls.ts';
import type { OpenAgentsOptions } from './open-agents.ts';

/** The child agents of a runtime. Their code is loaded with the first call: most daemons have only terminals. */
export class LazyAgents {
  readonly #options: OpenAgentsOptions;
  #opening: Promise<typeof import('./open-agents.ts')> | null = null;
  #agents: DaemonAgents | null = null;

  constructor(options: OpenAgentsOptions) {
    this.#options = options;
  }

  get max(): number {
    return this.#options.maxAgents;
  }

  counts(): { running: number; waiting: number } {
    return this.#agents?.counts() ?? { running: 0, waiting: 0 };
  }

  async call<M extends AgentMethod>(method: M, params: CheckedParams<M>): Promise<RuntimeResult<M>> {
    this.#opening ??= import('./open-agents.ts');
    const { callAgents, openAgents } = await this.#opening;
    this.#agents ??= openAgents(this.#options);
    return await callAgents(this.#agents, method, params, this.#options.workspace);
  }

  /** Closes all that run; returns their number. */
  async closeAll(): Promise<number> {
    return (await this.#agents?.closeAll('the agents of this workspace were ended')) ?? 0;
  }

  /** The same, and none is started any more. */
  async end(): Promise<void> {
    await this.#agents?.end('the runtime of this workspace ended');
  }
}
