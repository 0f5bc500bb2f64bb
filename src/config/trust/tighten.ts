import type { PolicyRule } from '../../protocol/agent/decision.ts';
import type { Config } from '../schema.ts';
import { nameMatcher } from './name-matcher.ts';

/** Returns the part of the wanted value that is at least as strict as `base`; undefined if none is. */
export type Tighten = (wanted: unknown, base: Config) => unknown;

/** Null means no limit. */
export function atMost(limit: (base: Config) => number | null): Tighten {
  return (wanted, base) => {
    const most = limit(base);
    return typeof wanted === 'number' && (most === null || wanted <= most) ? wanted : undefined;
  };
}

export function atLeast(limit: (base: Config) => number): Tighten {
  return (wanted, base) => (typeof wanted === 'number' && wanted >= limit(base) ? wanted : undefined);
}

/** `words` begins with the strictest. */
export function among(words: readonly string[], current: (base: Config) => string): Tighten {
  return (wanted, base) => (words.indexOf(wanted as string) <= words.indexOf(current(base)) ? wanted : undefined);
}

/** Adds to the list and removes nothing. */
export function withAll(current: (base: Config) => readonly string[]): Tighten {
  return (wanted, base) => [...new Set([...current(base), ...(wanted as string[])])];
}

/** Removes from the list and adds nothing. */
export function onlyListed(current: (base: Config) => readonly string[]): Tighten {
  return (wanted, base) => someOf(wanted, (item) => current(base).includes(item));
}

/** The same for a list in which `*` matches any characters. A wanted `*` has to be covered by one of the list. */
export function onlyMatched(current: (base: Config) => readonly string[]): Tighten {
  return (wanted, base) => someOf(wanted, nameMatcher(current(base)));
}

/** Rules that ask or deny; they can only make a policy stricter. */
export const withoutAllow: Tighten = (wanted) => someOf<PolicyRule>(wanted, ({ decision }) => decision !== 'allow');

/** An empty list remains; one of which nothing remains does not count. */
export function someOf<Item = string>(wanted: unknown, isKept: (item: Item) => boolean): Item[] | undefined {
  const items = wanted as Item[];
  const kept = items.filter(isKept);
  return kept.length === 0 && items.length > 0 ? undefined : kept;
}
