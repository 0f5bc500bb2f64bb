import type { SessionLimits } from '../../protocol/terminal/index.ts';

/** Which probe tells whether a limit works here. */
const PROBE_OF: Partial<Record<keyof SessionLimits, string>> = {
  memory_bytes: 'memory_limit',
  processes: 'processes_limit',
  cpu_percent: 'cpu_limit',
  nice: 'nice',
};

export interface AvailableLimits {
  limits: SessionLimits;
  /** The others, and why. */
  unavailable: Record<string, string>;
}

/** Those of the limits that this machine can enforce. */
export async function availableLimits(wanted: SessionLimits): Promise<AvailableLimits> {
  const names = Object.keys(wanted) as (keyof SessionLimits)[];
  const unavailable: Record<string, string> = {};
  if (names.length === 0) return { limits: {}, unavailable };
  const { probeLimits } = await import('./probe-limits.ts');
  const probes = await probeLimits();
  for (const name of names) {
    const { works, why } = probes[PROBE_OF[name] ?? 'resource_limits']!;
    if (!works) unavailable[name] = why ?? 'it does not work here';
  }
  const limits = Object.fromEntries(Object.entries(wanted).filter(([name]) => !(name in unavailable)));
  return { limits, unavailable };
}
