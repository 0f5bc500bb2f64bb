import { setTimeout as sleep } from 'node:timers/promises';
import { CLOSED_BY_PARENT, childTools, failing } from '../../agent/children/agent-port.ts';
import type { AgentInfo, AgentSetup } from '../../protocol/index.ts';
import type {
  AgentPort,
  AgentState,
  AgentStatus,
  ChildUse,
  ExhaustedBudget,
  RunLink,
  RuntimeScope,
  SpawnRequest,
} from '../../tools/index.ts';
import type { RuntimeClient } from '../client/runtime-client.ts';

export interface DaemonAgentsOptions {
  link: RunLink;
  /** What children are configured with. */
  setup: AgentSetup;
  /** Starts the daemon if there is none. */
  connect(): RuntimeClient;
  /** Null if there is no daemon. */
  find(): Promise<RuntimeClient | null>;
}

/** A daemon cannot see that a client is gone; so a wait is cut into parts, and none lasts long after its client. */
const WAIT_MS = 15_000;
/** Children may use something many times in a second. */
const FOLLOW_PAUSE_MS = 200;

/** Child agents of one run, in the daemon of its workspace. */
export class DaemonAgents implements AgentPort, Pick<RuntimeScope, 'reserveStep' | 'close'> {
  readonly #options: DaemonAgentsOptions;
  readonly #stop = new AbortController();
  #client: RuntimeClient | null = null;
  /** For what must not start a daemon. */
  #watcher: RuntimeClient | null = null;
  #following: Promise<void> | null = null;

  constructor(options: DaemonAgentsOptions) {
    this.#options = options;
  }

  async spawnAgent({ callId, callKey, task, tools, model }: SpawnRequest, signal: AbortSignal): Promise<AgentState> {
    const { link, setup } = this.#options;
    return await failing(async () => {
      const names = [...childTools(link, tools)];
      const parent = { run_id: link.runId, call_id: callId, call_key: callKey, used: link.used() };
      const wanted = { task, parent, tools: names, ...(model === undefined ? {} : { model }), setup };
      return this.#note(await abortable(this.#connected().call('agent.spawn', wanted), signal));
    });
  }

  async waitForAgents(
    { agentIds, timeoutMs }: { agentIds: readonly string[]; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<AgentState[]> {
    const deadline = performance.now() + timeoutMs;
    return await failing(async () => {
      for (;;) {
        const left = Math.max(0, Math.ceil(deadline - performance.now()));
        const part = { agent_ids: [...agentIds], timeout_ms: Math.min(left, WAIT_MS), ...this.#about };
        const { agents } = await abortable(this.#connected().call('agent.wait', part), signal);
        const states = agents.map((agent) => this.#note(agent));
        if (left <= WAIT_MS || states.some(({ status }) => !isActive(status))) return states;
      }
    });
  }

  async sendInput(
    { agentId: agent_id, text, interrupt }: { agentId: string; text: string; interrupt: boolean },
    signal: AbortSignal,
  ): Promise<AgentState> {
    const params = { agent_id, text, interrupt, ...this.#about };
    return await failing(async () =>
      this.#note(await abortable(this.#connected().call('agent.send_input', params), signal)),
    );
  }

  async closeAgent({ agentId: agent_id }: { agentId: string }, signal: AbortSignal): Promise<AgentState> {
    const params = { agent_id, reason: CLOSED_BY_PARENT, ...this.#about };
    return await failing(async () =>
      this.#note(await abortable(this.#connected().call('agent.close', params), signal)),
    );
  }

  async resumeAgent({ agentId: agent_id }: { agentId: string }, signal: AbortSignal): Promise<AgentState> {
    const params = { agent_id, ...this.#about };
    return await failing(async () =>
      this.#note(await abortable(this.#connected().call('agent.resume', params), signal)),
    );
  }

  /** Asks only while it has children: alone, its own budgets are all there is. */
  async reserveStep({ isNew }: { isNew: boolean }): Promise<ExhaustedBudget | null> {
    const { link } = this.#options;
    if (!this.#following || !this.#watcher) return null;
    const wanted = { run_id: link.runId, used: link.used(), new_step: isNew };
    // Without the daemon no child runs, and what they have used is known.
    const answer = await this.#watcher.call('agent.reserve', wanted).catch(() => null);
    for (const use of answer?.charges ?? []) this.#charge(use);
    return answer?.exhausted ?? null;
  }

  async close({ keepAgents }: { keepAgents: boolean }): Promise<void> {
    const { link, find } = this.#options;
    this.#stop.abort();
    const hadChildren = this.#client !== null || link.children().length > 0;
    const client = hadChildren && !keepAgents ? await find() : null;
    try {
      if (client) await closeChildren(client, link.runId);
    } finally {
      for (const one of [client, this.#client, this.#watcher]) one?.close();
    }
  }

  get #about(): { parent_id: string; setup: AgentSetup } {
    const { link, setup } = this.#options;
    return { parent_id: link.runId, setup };
  }

  #connected(): RuntimeClient {
    this.#client ??= this.#options.connect();
    return this.#client;
  }

  /** What the daemon says about an agent also says what it has used. */
  #note({ agent_id: agentId, parent_id, status, text, wal_locator: walLocator, ...use }: AgentInfo): AgentState {
    if (parent_id === this.#options.link.runId) this.#charge({ run_id: agentId, ...use });
    if (isActive(status)) this.#follow();
    return { agentId, status, text, walLocator };
  }

  #charge(use: ChildUse): void {
    if (use.steps > 0) this.#options.link.charge(use);
  }

  #follow(): void {
    if (this.#stop.signal.aborted) return;
    this.#following ??= this.#followUses()
      .catch(() => {}) // The daemon is gone, and with it what was followed.
      .finally(() => {
        this.#following = null;
      });
  }

  /** As long as there are children that may use something. */
  async #followUses(): Promise<void> {
    const { link, find } = this.#options;
    const { signal } = this.#stop;
    this.#watcher ??= await find();
    for (let seen = 0; this.#watcher && !signal.aborted; ) {
      const wanted = { run_id: link.runId, seen, wait_ms: WAIT_MS };
      const { version, live, children } = await this.#watcher.call('agent.usage', wanted);
      if (signal.aborted) return;
      for (const use of children) this.#charge(use);
      if (live === 0) return;
      seen = version;
      await sleep(FOLLOW_PAUSE_MS, undefined, { signal });
    }
  }
}

async function closeChildren(client: RuntimeClient, parent_id: string): Promise<void> {
  const { agents } = await client.call('agent.list', { parent_id });
  const own = agents.filter((agent) => agent.parent_id === parent_id && isActive(agent.status));
  await Promise.allSettled(
    own.map(({ agent_id }) => client.call('agent.close', { agent_id, parent_id, reason: 'its parent has ended' })),
  );
}

function isActive(status: AgentStatus): boolean {
  return status === 'running' || status === 'waiting';
}

/** The call continues in the daemon; what it started is closed with the run. */
async function abortable<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  call.catch(() => {});
  signal.throwIfAborted();
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([call, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
