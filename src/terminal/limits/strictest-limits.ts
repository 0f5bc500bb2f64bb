import type { SessionLimits } from '../../protocol/terminal/index.ts';

/** Both limits at once: of each kind the stricter one. */
export function strictestLimits(one: SessionLimits, other: SessionLimits): SessionLimits {
  const names = Object.keys({ ...one, ...other }) as (keyof SessionLimits)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = [one[name], other[name]].filter((value) => value !== undefined);
      // The nicer a program is, the less it gets.
      return values.length === 0 ? [] : [[name, name === 'nice' ? Math.max(...values) : Math.min(...values)]];
    }),
  );
}
