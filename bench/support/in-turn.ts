/**
 * Measures each way the given number of times, in turns so that all run under the same load; empty for a missing way.
 */
export async function inTurn<Way extends string>(
  ways: Record<Way, (() => Promise<number>) | null>,
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<Record<Way, number[]>> {
  const entries = Object.entries(ways) as [Way, (() => Promise<number>) | null][];
  const measured = Object.fromEntries(entries.map(([way]) => [way, []])) as unknown as Record<Way, number[]>;
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [way, measure] of entries) {
      const figure = await measure?.();
      if (figure !== undefined && round >= warmUp) measured[way].push(figure);
    }
  }
  return measured;
}
