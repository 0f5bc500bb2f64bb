import { DEFAULTS } from '../config/index.ts';
import type { RuntimeResult } from '../protocol/index.ts';
import { probeBubblewrap } from '../sandbox/index.ts';
import { type OpenRecording, probeLimits, RuntimeSessions, type SessionLedger } from '../terminal/index.ts';
import { LazyAgents } from './agents/lazy-agents.ts';
import { createEnterSandbox } from './enter-sandbox.ts';
import { openScreen } from './open-screen.ts';
import { type RuntimeSettings, sessionDefaults } from './session-defaults.ts';
import { Targets } from './targets/targets.ts';

export interface RuntimeOptions {
  workspace: string;
  /** Environment from which sessions inherit. */
  environment: NodeJS.ProcessEnv;
  version: string;
  /** The configuration's defaults if not given. */
  settings?: RuntimeSettings | undefined;
  /** Whether clients of its socket have to send the secret; null if it has no socket. */
  socketSecret?: RuntimeSettings['socket_secret'] | null;
  ledger?: SessionLedger;
  /** Records sessions as runs where requested. */
  openRecording?: OpenRecording | undefined;
  /** Paths that no sandbox ever shows. */
  guarded?: () => { dataFolder: string; hidden: string[] };
  /** The registry of running sessions; null if there is none. */
  registry?: () => { path: string; entries: number };
  /** Gets the diagnostic output of child agents. */
  report?: (text: string) => void;
  /** Called when a client asks the runtime to shut down. */
  onShutDown?: () => void;
}

/** The sessions of one workspace and their methods, independent of the transport. */
export interface Runtime {
  workspace: string;
  sessions: RuntimeSessions;
  agents: LazyAgents;
  targets: Targets;
  status(): Promise<RuntimeResult<'runtime.status'>>;
  shutDown(): void;
}

export function openRuntime(options: RuntimeOptions): Runtime {
  const { workspace, environment, ledger, openRecording, socketSecret = null, settings = DEFAULTS.runtime } = options;
  const defaults = sessionDefaults(settings);
  const isOpen = socketSecret === 'optional';
  const enterSandbox = createEnterSandbox(options.guarded);
  const sessions = new RuntimeSessions({
    workspace,
    environment,
    openScreen,
    enterSandbox: async (request, place) => (isOpen ? { why: OPEN_SOCKET } : await enterSandbox(request, place)),
    openRecording,
    maxSessions: settings.max_sessions,
    defaults,
    ...(ledger && { ledger }),
  });
  const agents = new LazyAgents({
    workspace,
    environment,
    ledger,
    report: options.report ?? (() => {}),
    maxAgents: settings.max_agents,
    maxDepth: settings.max_agent_depth,
  });
  const targets = new Targets({ workspace, environment });
  const startedAt = new Date().toISOString();
  return {
    workspace,
    sessions,
    agents,
    targets,
    status: async () => ({
      healthy: true,
      version: options.version,
      pid: process.pid,
      workspace,
      started_at: startedAt,
      sessions: { active: countActive(sessions), max: sessions.maxSessions },
      children: childrenOf(agents),
      registry: options.registry?.() ?? null,
      defaults: { timeout_ms: defaults.timeoutMs, limits: defaults.limits },
      socket_secret: socketSecret,
      mechanisms: await probeMechanisms({ isOpen }),
      targets: await targets.status(),
    }),
    shutDown: () => options.onShutDown?.(),
  };
}

function countActive(sessions: RuntimeSessions): number {
  return sessions.list().filter(({ closed }) => !closed).length;
}

function childrenOf(agents: LazyAgents): RuntimeResult<'runtime.status'>['children'] {
  const { running: active, waiting } = agents.counts();
  return { active, waiting, max: agents.max };
}

/** Whether something runs that needs the runtime. Agents that wait for people do not: their logs have everything. */
export function isInUse({ sessions, agents }: Pick<Runtime, 'sessions' | 'agents'>): boolean {
  return countActive(sessions) > 0 || agents.counts().running > 0;
}

/** Ends all sessions and closes all agents; returns their numbers. */
export async function endAll({ sessions, agents }: Pick<Runtime, 'sessions' | 'agents'>): Promise<{
  sessions: number;
  children: number;
}> {
  const [ended, closed] = await Promise.all([sessions.destroyAll(), agents.closeAll()]);
  return { sessions: ended, children: closed };
}

/** The sandbox must not be the only protection of the daemon against a sandboxed program. */
const OPEN_SOCKET = 'runtime.socket_secret is optional; set it to required and restart the daemon to use a sandbox';

/** What works on this machine, found by trying. */
async function probeMechanisms({
  isOpen,
}: {
  isOpen: boolean;
}): Promise<RuntimeResult<'runtime.status'>['mechanisms']> {
  const probeSandbox = async (network: 'off' | 'on') =>
    isOpen ? { why: OPEN_SOCKET } : await probeBubblewrap(network);
  const [limits, apart, connected] = await Promise.all([probeLimits(), probeSandbox('off'), probeSandbox('on')]);
  const filter = 'filter' in apart ? mechanismOf(apart.filter) : mechanismOf(apart);
  return {
    ...limits,
    sandbox: mechanismOf(apart),
    sandbox_filter: filter,
    sandbox_with_network: mechanismOf(connected),
  };
}

function mechanismOf(probed: object): { works: boolean; why: string | null } {
  return 'why' in probed ? { works: false, why: String(probed.why) } : { works: true, why: null };
}
