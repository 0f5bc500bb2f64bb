import type { RuntimeResult } from '../protocol/index.ts';
import { enterBubblewrap, probeBubblewrap } from '../sandbox/index.ts';
import { type OpenRecording, probeLimits, RuntimeSessions, type SessionLedger } from '../terminal/index.ts';
import { openScreen } from './open-screen.ts';
import { Targets } from './targets/targets.ts';

export interface RuntimeOptions {
  workspace: string;
  /** What sessions may inherit from. */
  environment: NodeJS.ProcessEnv;
  version: string;
  maxSessions?: number | undefined;
  ledger?: SessionLedger;
  /** Keeps sessions as runs, where that is wanted. */
  openRecording?: OpenRecording | undefined;
  /** What no sandbox shows, whatever is asked for. */
  guarded?: () => { dataFolder: string; hidden: string[] };
  /** Where it is written what runs; null where nothing is. */
  registry?: () => { path: string; entries: number };
  /** Somebody asked for the end. */
  onShutDown?: () => void;
}

/** The sessions of one workspace and what is said about them; whoever serves it decides how it is reached. */
export interface Runtime {
  workspace: string;
  sessions: RuntimeSessions;
  targets: Targets;
  status(): Promise<RuntimeResult<'runtime.status'>>;
  shutDown(): void;
}

export function openRuntime(options: RuntimeOptions): Runtime {
  const { workspace, environment, maxSessions, ledger, openRecording } = options;
  const sessions = new RuntimeSessions({
    workspace,
    environment,
    openScreen,
    enterSandbox: (request, place) => enterBubblewrap(request, { ...place, ...options.guarded?.() }),
    openRecording,
    ...(maxSessions !== undefined && { maxSessions }),
    ...(ledger && { ledger }),
  });
  const targets = new Targets({ workspace, environment });
  const startedAt = new Date().toISOString();
  return {
    workspace,
    sessions,
    targets,
    status: async () => ({
      healthy: true,
      version: options.version,
      pid: process.pid,
      workspace,
      started_at: startedAt,
      sessions: { active: countActive(sessions), max: sessions.maxSessions },
      children: { active: 0 },
      registry: options.registry?.() ?? null,
      mechanisms: await probeMechanisms(),
      targets: await targets.status(),
    }),
    shutDown: () => options.onShutDown?.(),
  };
}

export function countActive(sessions: RuntimeSessions): number {
  return sessions.list().filter(({ closed }) => !closed).length;
}

/** What can be had on this machine, found by trying. */
async function probeMechanisms(): Promise<RuntimeResult<'runtime.status'>['mechanisms']> {
  const [limits, apart, connected] = await Promise.all([probeLimits(), probeBubblewrap('off'), probeBubblewrap('on')]);
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
