import type { SessionSettings } from '../../config/index.ts';
import type { RuntimeParts } from '../../tools/index.ts';
import { type EnsureOptions, ensureServer, findServer } from '../daemon/ensure-server.ts';
import { DaemonAgents } from './agents.ts';
import type { TerminalSandbox } from './terminal-session.ts';
import { openTerminals } from './terminals.ts';

export interface WorkspaceRuntimeOptions {
  workspaceRoot: string;
  /** The data folder of child agents (default: that of the environment). */
  home?: string | undefined;
  /** Settings of child agents over those of the files; later ones win. */
  session?: readonly SessionSettings[] | undefined;
  /** The environment of child agents (default: that of this process). */
  env?: Readonly<Record<string, string>> | undefined;
  /** What programs on terminals can reach; without it, runs have no terminals. */
  sandbox?: TerminalSandbox | undefined;
  /** How a daemon is started, if there is none. */
  daemon?: Pick<EnsureOptions, 'command' | 'environment' | 'idleMs'> | undefined;
}

/**
 * The runtime of a workspace for agents: pass it as `runtime`. Its daemon is started with the first child agent or
 * terminal, and child agents are made from the configuration, like those of `agentFromConfig`.
 */
export function workspaceRuntime(options: WorkspaceRuntimeOptions): RuntimeParts {
  const { home, session = [], env = definedOnly(process.env), sandbox, daemon } = options;
  // A copy: it is sent to the daemon as it is now.
  const settings = session.map(({ name, settings }) => ({ name, settings: settings as Record<string, unknown> }));
  const setup = { ...(home === undefined ? {} : { home }), session: settings, env: { ...env } };
  return {
    offers: { agents: true, terminals: sandbox !== undefined },
    forRun: (link) => {
      const workspace = link.workspaceRoot;
      const agents = new DaemonAgents({
        link,
        setup,
        connect: () => ensureServer({ workspace, ...daemon }),
        // Without the daemon no child runs: there is nothing to wait for.
        find: () => findServer(workspace, { reconnectMs: 0 }),
      });
      const server = daemon ? { server: daemon } : {};
      const terminals = sandbox && openTerminals({ workspace, runId: link.runId, sandbox, ...server });
      return {
        ...(terminals && {
          execCommand: (request, signal) => terminals.execCommand(request, signal),
          writeStdin: (request, signal) => terminals.writeStdin(request, signal),
        }),
        spawnAgent: (request, signal) => agents.spawnAgent(request, signal),
        waitForAgents: (request, signal) => agents.waitForAgents(request, signal),
        sendInput: (request, signal) => agents.sendInput(request, signal),
        closeAgent: (request, signal) => agents.closeAgent(request, signal),
        resumeAgent: (request, signal) => agents.resumeAgent(request, signal),
        reserveStep: (step) => agents.reserveStep(step),
        close: async (how) => {
          // Terminals of a run that may continue stay for the process that continues it.
          await Promise.allSettled([agents.close(how), how.keepAgents ? terminals?.disconnect() : terminals?.close()]);
        },
      };
    },
  };
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const { TACHO_MARKER: _, ...rest } = environment;
  return Object.fromEntries(Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
