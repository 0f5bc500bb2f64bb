import { type ConfigProblem, enough, invalid, quote } from '../problem.ts';
import { type ConfigSource, formatSource } from '../source.ts';

/** A value with the place of each of its parts; the common form of YAML and session settings. */
export type Located =
  | { kind: 'scalar'; value: unknown; source: ConfigSource }
  | { kind: 'list'; items: Located[]; source: ConfigSource }
  | { kind: 'map'; entries: LocatedEntry[]; source: ConfigSource };

export interface LocatedEntry {
  /** Not always text: YAML allows any value as a key. */
  key: Located;
  value: Located;
}

/** A section whose lines are all commented out is null in YAML, and is meant to be empty. */
export function isEmptySection(located: Located): boolean {
  return located.kind === 'scalar' && located.value === null;
}

/** Visits the entries of a map; adds keys that are not text or are repeated to `problems` instead. */
export function eachKey(
  { entries }: Extract<Located, { kind: 'map' }>,
  problems: ConfigProblem[],
  visit: (key: string, entry: LocatedEntry) => void,
): void {
  const seen = new Map<string, ConfigSource>();
  for (const entry of entries) {
    if (enough(problems)) return;
    const { key } = entry;
    if (key.kind !== 'scalar' || typeof key.value !== 'string') {
      problems.push(invalid(key.source, `a key must be text, not ${showValue(key)}`));
      continue;
    }
    const first = seen.get(key.value);
    if (first !== undefined) {
      problems.push(invalid(key.source, `${quote(key.value)} is set twice; first at ${formatSource(first)}`));
      continue;
    }
    seen.set(key.value, key.source);
    visit(key.value, entry);
  }
}

/** A value as shown in a message. */
export function showValue(located: Located): string {
  if (located.kind !== 'scalar') return `a ${located.kind}`;
  return typeof located.value === 'string' ? quote(located.value) : String(located.value).slice(0, 80);
}

/** The value without its places. */
export function plainValue(located: Located): unknown {
  switch (located.kind) {
    case 'scalar':
      return located.value;
    case 'list':
      return located.items.map(plainValue);
    case 'map':
      return Object.fromEntries(located.entries.map(({ key, value }) => [String(plainValue(key)), plainValue(value)]));
  }
}

/** Plain data with one place for all of it. Cut off below the maximum depth of a configuration. */
export function locate(value: unknown, source: ConfigSource, depth = 0): Located {
  if (typeof value !== 'object' || value === null || depth > 8) return { kind: 'scalar', value, source };
  if (Array.isArray(value)) {
    return { kind: 'list', items: value.map((item) => locate(item, source, depth + 1)), source };
  }
  const entries = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .map(([key, child]): LocatedEntry => {
      return { key: { kind: 'scalar', value: key, source }, value: locate(child, source, depth + 1) };
    });
  return { kind: 'map', entries, source };
}
