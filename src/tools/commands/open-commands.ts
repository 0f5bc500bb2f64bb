import { openSandbox, type SandboxOptions, type SandboxPosture } from '../../sandbox/index.ts';
import type { CommandRunner } from './command-runner.ts';
import { type CommandRunnerOptions, createCommandRunner } from './create-runner.ts';

/** What is in effect for commands, for the log. */
export interface CommandPosture extends SandboxPosture {
  /** Limits of the profile that this machine cannot enforce, and why. */
  limits_unavailable: Record<string, string>;
}

export interface OpenedCommands {
  commands: CommandRunner;
  posture: CommandPosture;
}

export type OpenCommandsOptions = SandboxOptions & Pick<CommandRunnerOptions, 'lingerMs' | 'killGraceMs'>;

/** Opens the sandbox of a profile, with the limits that this machine can enforce; or says why that is impossible. */
export async function openCommands(options: OpenCommandsOptions): Promise<OpenedCommands | { why: string }> {
  const sandbox = await openSandbox(options);
  if ('why' in sandbox) return sandbox;
  const { availableLimits } = await import('../../terminal/limits/available-limits.ts');
  const { limits, unavailable } = await availableLimits(sandbox.posture.limits);
  return {
    commands: createCommandRunner({ ...options, sandbox, limits }),
    posture: { ...sandbox.posture, limits, limits_unavailable: unavailable },
  };
}
