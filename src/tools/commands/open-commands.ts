import type { SessionLimits } from '../../protocol/terminal/index.ts';
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

/** Which probe tells whether a limit works here. */
const PROBE_OF: Partial<Record<keyof SessionLimits, string>> = {
  memory_bytes: 'memory_limit',
  processes: 'processes_limit',
  cpu_percent: 'cpu_limit',
  nice: 'nice',
};

/** Opens the sandbox of a profile, with the limits that this machine can enforce; or says why that is impossible. */
export async function openCommands(options: OpenCommandsOptions): Promise<OpenedCommands | { why: string }> {
  const sandbox = await openSandbox(options);
  if ('why' in sandbox) return sandbox;
  const { limits, unavailable } = await availableLimits(sandbox.posture.limits);
  return {
    commands: createCommandRunner({ ...options, sandbox, limits }),
    posture: { ...sandbox.posture, limits, limits_unavailable: unavailable },
  };
}

async function availableLimits(
  wanted: SessionLimits,
): Promise<{ limits: SessionLimits; unavailable: Record<string, string> }> {
  const names = Object.keys(wanted) as (keyof SessionLimits)[];
  const unavailable: Record<string, string> = {};
  if (names.length === 0) return { limits: {}, unavailable };
  const { probeLimits } = await import('../../terminal/limits/probe-limits.ts');
  const probes = await probeLimits();
  for (const name of names) {
    const { works, why } = probes[PROBE_OF[name] ?? 'resource_limits']!;
    if (!works) unavailable[name] = why ?? 'it does not work here';
  }
  const limits = Object.fromEntries(Object.entries(wanted).filter(([name]) => !(name in unavailable)));
  return { limits, unavailable };
}
