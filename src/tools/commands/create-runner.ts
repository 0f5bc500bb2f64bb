import type { SessionLimits } from '../../protocol/terminal/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Command, CommandOutcome, CommandRunner } from './command-runner.ts';

export interface CommandRunnerOptions {
  sandbox: Sandbox;
  /** Limits that this machine can enforce. */
  limits?: SessionLimits;
  /** How long to wait for output of processes that the program left behind, before they are ended. */
  lingerMs?: number;
  /** Time between SIGTERM and SIGKILL. */
  killGraceMs?: number;
}

const LINGER_MS = 500;
const KILL_GRACE_MS = 1000;

/** Loads what starts processes with the first command. */
export function createCommandRunner({
  sandbox,
  limits = {},
  lingerMs = LINGER_MS,
  killGraceMs = KILL_GRACE_MS,
}: CommandRunnerOptions): CommandRunner {
  return {
    run: async (command: Command, signal: AbortSignal): Promise<CommandOutcome> => {
      const { runCommand } = await import('./run-command.ts');
      return await runCommand(command, signal, { sandbox, limits, lingerMs, killGraceMs });
    },
  };
}
