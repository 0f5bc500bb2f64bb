import {
  AGENT_METHODS,
  type AgentMethod,
  type CheckedParams,
  RUNTIME_METHODS,
  type RuntimeMethod,
  type RuntimeParams,
  type RuntimeResult,
  TachoError,
} from '../protocol/index.ts';
import {
  callSession,
  checkParams,
  isSessionMethod,
  measureSession,
  type SessionMethod,
  type TakeOutput,
} from '../terminal/index.ts';
import { endAll, type Runtime } from './runtime.ts';
import { listFolder, readFilePart, statFile, writeFilePart } from './workspace-files.ts';

/** Executes one request of any transport. */
export type CallRuntime = (method: string, params: Record<string, unknown>, take: TakeOutput) => Promise<unknown>;

type OwnMethod = Exclude<RuntimeMethod, SessionMethod | AgentMethod>;
type Handlers = {
  [M in OwnMethod]: (runtime: Runtime, params: CheckedParams<M>) => Promise<RuntimeResult<M>> | RuntimeResult<M>;
};

const HANDLERS: Handlers = {
  'system.ping': () => ({ pong: true, at: new Date().toISOString() }),
  'system.stats': async ({ sessions, targets }, { target }) => {
    const here = sessions.list().map((session) => ({ session_id: session.id, ...measureSession(session) }));
    return {
      uptime_ms: process.uptime() * 1000,
      rss_bytes: process.memoryUsage.rss(),
      sessions: [...here, ...(target === undefined ? await targets.sessions('system.stats') : [])],
    };
  },
  'runtime.status': (runtime) => runtime.status(),
  'runtime.cleanup': (runtime) => endAll(runtime),
  'runtime.shutdown': (runtime) => {
    runtime.shutDown();
    return {};
  },
  'file.read': ({ workspace }, params) => readFilePart(workspace, params),
  'file.write': ({ workspace }, params) => writeFilePart(workspace, params),
  'file.list': ({ workspace }, { path }) => listFolder(workspace, path),
  'file.stat': ({ workspace }, { path }) => statFile(workspace, path),
};

export function createCall(runtime: Runtime): CallRuntime {
  return async (method, params, take) => {
    if (!isMethod(method)) {
      throw new TachoError('METHOD_NOT_FOUND', `there is no method ${method}`, {
        facts: { methods: Object.keys(RUNTIME_METHODS) },
      });
    }
    const target = runtime.targets.find(method, params);
    if (target !== null) return await runtime.targets.call(target, method, checkParams(method, params), take);
    if (method === 'session.list') return await listSessions(runtime, checkParams(method, params));
    if (isAgentMethod(method)) return await runtime.agents.call(method, checkParams(method, params));
    if (!isSessionMethod(method)) return await callOwn(runtime, method, params);
    return await callSession(runtime.sessions, method, params as RuntimeParams<typeof method>, take);
  };
}

function isMethod(method: string): method is RuntimeMethod {
  return Object.hasOwn(RUNTIME_METHODS, method);
}

function isAgentMethod(method: RuntimeMethod): method is AgentMethod {
  return Object.hasOwn(AGENT_METHODS, method);
}

async function listSessions(
  { sessions, targets }: Runtime,
  params: CheckedParams<'session.list'>,
): Promise<RuntimeResult<'session.list'>> {
  const here = await callSession(sessions, 'session.list', params);
  if (params.target !== undefined) return here;
  return { sessions: [...here.sessions, ...(await targets.sessions('session.list'))] };
}

async function callOwn<M extends OwnMethod>(runtime: Runtime, method: M, params: unknown): Promise<RuntimeResult<M>> {
  return await HANDLERS[method](runtime, checkParams(method, params));
}
