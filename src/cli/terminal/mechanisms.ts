/** Mechanisms that a machine may lack, named by the options of `tacho terminal` that use them. */
export const MECHANISM_OPTIONS: Record<string, string> = {
  memory_limit: '--memory',
  processes_limit: '--processes',
  cpu_limit: '--cpu-percent',
  resource_limits: '--cpu, --open-files, --file-size',
  nice: '--nice',
  session_tag: 'finding what left its session',
  group_kill: 'ending it at once',
  sandbox: '--sandbox',
  sandbox_filter: '--sandbox, system calls filtered',
  sandbox_with_network: '--sandbox --network',
};

const LIMITS = ['memory_limit', 'processes_limit', 'cpu_limit', 'resource_limits', 'nice'];

/** The limits available on this machine, in one line. */
export function describeAvailableLimits(mechanisms: Record<string, { works: boolean; why: string | null }>): {
  ok: boolean;
  detail: string;
} {
  const missing = LIMITS.filter((name) => !mechanisms[name]?.works);
  const works = LIMITS.filter((name) => !missing.includes(name)).map((name) => MECHANISM_OPTIONS[name]);
  const refused = missing.map((name) => `${MECHANISM_OPTIONS[name]} not available: ${mechanisms[name]?.why}`);
  return { ok: missing.length === 0, detail: [works.join(', '), ...refused].filter(Boolean).join('; ') };
}
