import type { Usage } from '../../protocol/index.ts';

export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    if (typeof value === 'number') sum[name] = ((sum[name] as number | undefined) ?? 0) + value;
  }
  return sum as Usage;
}
