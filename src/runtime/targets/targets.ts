import { describeIgnored, loadConfig } from '../../config/index.ts';
import type { RuntimeMethod, RuntimeParams, RuntimeResult, TachoError } from '../../protocol/index.ts';
import type { TakeOutput } from '../../terminal/index.ts';
import { connectTarget, settingsOf } from './connect-target.ts';
import { Target } from './target.ts';
import { HOST, sessionIdHere, splitSessionId } from './target-name.ts';

export interface TargetsOptions {
  workspace: string;
  environment: NodeJS.ProcessEnv;
}

/** The params that matter for forwarding. */
interface ForwardedParams {
  target?: string;
  session_id?: string;
  exec_id?: string;
  idle_ms?: number;
}

/** Without a target, these also cover all targets in use. */
type CoversAll = 'session.list' | 'system.stats';

/** Runtimes on other machines, by their configured names. */
export class Targets {
  readonly #options: TargetsOptions;
  readonly #targets = new Map<string, Target>();
  /** Commands that run on targets. */
  readonly #commands = new Map<string, string>();

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  /** The target of a call; null for this machine. */
  find(method: RuntimeMethod, { target, session_id, exec_id }: Record<string, unknown>): string | null {
    if (typeof target === 'string') return target === HOST ? null : target;
    if (typeof session_id === 'string') return splitSessionId(session_id)?.target ?? null;
    return method === 'exec.cancel' ? (this.#commands.get(String(exec_id)) ?? null) : null;
  }

  /** Forwards a call to the target; the params are already validated. */
  async call<M extends RuntimeMethod>(name: string, method: M, params: object, take?: TakeOutput): Promise<unknown> {
    const target = this.#target(name);
    const sent = this.#paramsThere(name, method, params);
    const command = method === 'exec.run' || method === 'exec.stream' ? sent.exec_id : undefined;
    if (command !== undefined) this.#commands.set(command, name);
    try {
      const result = await target.call(method, sent as RuntimeParams<M>, method === 'exec.stream' ? take : undefined);
      return here(name, result);
    } finally {
      if (command !== undefined) this.#commands.delete(command);
    }
  }

  /** The sessions of the targets in use; an unreachable one has none. */
  async sessions<M extends CoversAll>(method: M): Promise<RuntimeResult<M>['sessions']> {
    const lists = this.#inUse().map(async ([name, target]) => {
      // Only its own sessions: two runtimes that are each other's targets would call each other forever.
      const result = await target.callWithTimeout(method, { target: HOST } as RuntimeParams<M>).catch(() => null);
      return result ? (here(name, result) as RuntimeResult<M>).sessions : [];
    });
    return (await Promise.all(lists)).flat() as RuntimeResult<M>['sessions'];
  }

  /** The targets in use, and whether they respond. */
  async status(): Promise<RuntimeResult<'runtime.status'>['targets']> {
    const asked = this.#inUse().map(async ([name, target]) => {
      const why = await target.callWithTimeout('system.ping', {}).then(
        () => null,
        ({ facts, message }: TachoError) => String(facts?.why ?? message),
      );
      return { target: name, connected: why === null, why };
    });
    return await Promise.all(asked);
  }

  close(): void {
    for (const target of this.#targets.values()) target.close();
    this.#targets.clear();
  }

  #inUse(): [string, Target][] {
    return [...this.#targets].filter(([, { reached }]) => reached);
  }

  #target(name: string): Target {
    const known = this.#targets.get(name);
    if (known) return known;
    const { config, workspace } = this.#load();
    const wanted = workspace.needsTrust.some(({ path }) => path.startsWith('targets.'));
    settingsOf(name, config.targets, wanted ? describeIgnored(workspace) : null);
    const target = new Target(name, () =>
      connectTarget(name, { targets: this.#settings(), environment: this.#options.environment }),
    );
    this.#targets.set(name, target);
    return target;
  }

  /** Read each time: a target may be added or corrected while we run. */
  #load() {
    const { workspace, environment } = this.#options;
    return loadConfig({ workspaceRoot: workspace, env: environment });
  }

  #settings() {
    return this.#load().config.targets;
  }

  #paramsThere(name: string, method: RuntimeMethod, { target: _, ...params }: ForwardedParams): ForwardedParams {
    const { session_id } = params;
    if (session_id !== undefined) return { ...params, session_id: splitSessionId(session_id)!.sessionId };
    if (method === 'session.list' || method === 'system.stats') return { ...params, target: HOST };
    if (method !== 'session.create') return params;
    // Without a limit, a session there would never end if we do not return.
    return { ...params, idle_ms: params.idle_ms ?? settingsOf(name, this.#settings()).grace_ms };
  }
}

/** A result with local session ids. */
function here(target: string, result: unknown): unknown {
  const { session_id, sessions } = result as { session_id?: unknown; sessions?: unknown };
  if (typeof session_id === 'string') return { ...(result as object), session_id: sessionIdHere(target, session_id) };
  if (!Array.isArray(sessions)) return result;
  return { ...(result as object), sessions: sessions.map((session) => here(target, session)) };
}
