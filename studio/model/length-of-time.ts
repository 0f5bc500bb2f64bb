const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** Parses `90`, `90 s`, `10 min` or `1h 30m` to milliseconds; null for anything else. A plain number is in seconds. */
export function parseLengthOfTime(text: string): number | null {
  const given = text.trim().toLowerCase();
  if (/^\d+(\.\d+)?$/.test(given)) return Math.round(Number(given) * 1000);
  if (!/^(\d+(\.\d+)?\s*(ms|s|min|m|h)\s*)+$/.test(given)) return null;
  const parts = given.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)/g);
  return Math.round([...parts].reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit!]!, 0));
}
