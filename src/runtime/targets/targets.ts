import { loadConfig } from '../../config/index.ts';
import type { RuntimeMethod, RuntimeParams, SessionInfo } from '../../protocol/index.ts';
import { isSessionMethod, type TakeOutput } from '../../terminal/index.ts';
import { RuntimeClient } from '../client/runtime-client.ts';
import { connectTarget, settingsOf } from './connect-target.ts';
import { HOST, sessionIdHere, splitSessionId } from './target-name.ts';

export interface TargetsOptions {
  workspace: string;
  environment: NodeJS.ProcessEnv;
}

/** What matters here of the params of a call. */
interface ForwardedParams {
  target?: string;
  session_id?: string;
  exec_id?: string;
  idle_ms?: number;
}

/** How long a lost connection is tried again. */
const PATIENCE_MS = 60_000;

/** Runtimes elsewhere, by the names the configuration gives them. Each is connected to when it is first used. */
export class Targets {
  readonly #options: TargetsOptions;
  readonly #clients = new Map<string, RuntimeClient>();
  /** Commands under way elsewhere. */
  readonly #commands = new Map<string, string>();

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  /** The target that a call is for; null when it is for this machine. */
  find(method: string, { target, session_id, exec_id }: Record<string, unknown>): string | null {
    if (!isSessionMethod(method)) return null;
    if (typeof target === 'string') return target === HOST ? null : target;
    if (typeof session_id === 'string') return splitSessionId(session_id)?.target ?? null;
    return method === 'exec.cancel' ? (this.#commands.get(String(exec_id)) ?? null) : null;
  }

  /** Lets the target do it; the params have been checked. */
  async call<M extends RuntimeMethod>(target: string, method: M, params: object, take?: TakeOutput): Promise<unknown> {
    const sent = this.#there(target, method, params);
    const client = this.#client(target);
    const command = method === 'exec.run' || method === 'exec.stream' ? sent.exec_id : undefined;
    if (command !== undefined) this.#commands.set(command, target);
    try {
      const result = await client.call(method, sent as RuntimeParams<M>, method === 'exec.stream' ? take : undefined);
      return this.#here(target, result);
    } finally {
      if (command !== undefined) this.#commands.delete(command);
    }
  }

  /** The sessions of the targets in use; one that cannot be reached now has none to show. */
  async list(): Promise<SessionInfo[]> {
    const lists = [...this.#clients].map(async ([target, client]) => {
      const { sessions } = await client.call('session.list', {}).catch(() => ({ sessions: [] }));
      return sessions.map((session) => this.#here(target, session) as SessionInfo);
    });
    return (await Promise.all(lists)).flat();
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  #client(target: string): RuntimeClient {
    const known = this.#clients.get(target);
    if (known) return known;
    settingsOf(target, this.#settings());
    const client = new RuntimeClient({
      connect: async () => {
        const connection = { targets: this.#settings(), environment: this.#options.environment };
        return { wire: await connectTarget(target, connection), secret: null };
      },
      patienceMs: PATIENCE_MS,
    });
    this.#clients.set(target, client);
    return client;
  }

  /** Read again each time: a target may be added, or corrected, while we run. */
  #settings() {
    const { workspace, environment } = this.#options;
    return loadConfig({ workspaceRoot: workspace, env: environment }).config.targets;
  }

  #there(target: string, method: string, { target: _, ...params }: ForwardedParams): ForwardedParams {
    const { session_id } = params;
    if (session_id !== undefined) return { ...params, session_id: splitSessionId(session_id)!.sessionId };
    if (method !== 'session.create') return params;
    // Nobody would end a session there that we never come back to.
    return { ...params, idle_ms: params.idle_ms ?? settingsOf(target, this.#settings()).grace_ms };
  }

  #here(target: string, result: unknown): unknown {
    const { session_id } = result as { session_id?: unknown };
    if (typeof session_id !== 'string') return result;
    return { ...(result as object), session_id: sessionIdHere(target, session_id) };
  }
}
