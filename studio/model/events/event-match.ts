import type { RaspEvent } from '../../../src/protocol/index.ts';
import type { FilterTerm } from './event-filter.ts';

export type FilterProblem =
  | { kind: 'unknown-key'; key: string }
  /** `expected` is an example of a valid value. */
  | { kind: 'bad-value'; key: string; value: string; expected: string };

type Test = (event: RaspEvent) => boolean;

/** What a key does with its value: a test, or an example of the values it takes where this is none. */
type Key = { read(value: string): Test | null; example: string /** One of several is enough. */; any: boolean };

const HAS: Record<string, Test> = {
  raw: ({ raw_ref }) => raw_ref !== null,
  call: ({ correlation }) => correlation.call_id !== undefined,
  message: ({ correlation }) => correlation.message_id !== undefined,
  interaction: ({ correlation }) => correlation.interaction_id !== undefined,
  parent: ({ correlation }) => correlation.parent !== undefined || correlation.parent_seq !== undefined,
};

const KEYS: Record<string, Key> = {
  event: { any: true, example: 'tool.*', read: (value) => byText(value, ({ event }) => [event.type]) },
  source: {
    any: true,
    example: 'stderr',
    read: (value) => byText(value, ({ source }) => [source.stream ?? '', source.parser, source.engine]),
  },
  attempt: { any: true, example: '2', read: (value) => byNumber(value, ({ attempt_number }) => attempt_number) },
  confidence: { any: false, example: '<0.7', read: (value) => byNumber(value, ({ source }) => source.confidence) },
  call: { any: true, example: 'call_1', read: (value) => byText(value, callsOf) },
  has: { any: false, example: Object.keys(HAS).join(', '), read: (value) => HAS[value] ?? null },
};

/** Why a term has no effect; null if it has one. */
export function filterProblem({ key, value }: FilterTerm): FilterProblem | null {
  if (key === null) return null;
  if (!Object.hasOwn(KEYS, key)) return { kind: 'unknown-key', key };
  const { read, example } = KEYS[key]!;
  return read(value) === null ? { kind: 'bad-value', key, value, expected: example } : null;
}

/**
 * Whether an event is shown. All terms must match, but for a key of which an event has only one value, one match is
 * enough, as in `event:tool.* event:agent.*`. A term with a problem is ignored.
 */
export function eventMatcher(terms: readonly FilterTerm[]): Test {
  const all: Test[] = [];
  const any = new Map<string, Test[]>();
  for (const { key, value, negated } of terms) {
    const test = key === null ? byWords(value) : Object.hasOwn(KEYS, key) ? KEYS[key]!.read(value) : null;
    if (test === null) continue;
    if (negated) all.push((event) => !test(event));
    else if (key !== null && KEYS[key]!.any) any.set(key, [...(any.get(key) ?? []), test]);
    else all.push(test);
  }
  for (const tests of any.values()) all.push((event) => tests.some((test) => test(event)));
  return (event) => all.every((test) => test(event));
}

function callsOf({ correlation, data }: RaspEvent): string[] {
  const named = 'call_id' in data && typeof data.call_id === 'string' ? data.call_id : '';
  return [correlation.call_id ?? '', correlation.parent ?? '', named];
}

/** `*` matches anything; case does not matter. */
function byText(value: string, texts: (event: RaspEvent) => string[]): Test | null {
  if (value === '') return null;
  const parts = value.toLowerCase().split('*');
  return (event) => texts(event).some((text) => isLike(text.toLowerCase(), parts));
}

/** Written by hand, because a pattern with many stars could make a regular expression run forever. */
function isLike(text: string, parts: readonly string[]): boolean {
  const [first, last] = [parts[0]!, parts.at(-1)!];
  if (parts.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

function byNumber(value: string, number: (event: RaspEvent) => number): Test | null {
  const [, sign, digits] = /^(<=|>=|<|>|=)?(\d{1,9}(?:\.\d{1,9})?)$/.exec(value) ?? [];
  if (digits === undefined) return null;
  const bound = Number(digits);
  const tests: Record<string, Test> = {
    '<': (event) => number(event) < bound,
    '<=': (event) => number(event) <= bound,
    '>': (event) => number(event) > bound,
    '>=': (event) => number(event) >= bound,
    '=': (event) => number(event) === bound,
  };
  return tests[sign ?? '=']!;
}

/** Searches the type and all data, from which summaries are made. */
function byWords(words: string): Test {
  const wanted = words.toLowerCase();
  const isIn = (value: unknown): boolean => {
    if (typeof value === 'string') return value.toLowerCase().includes(wanted);
    if (typeof value === 'object' && value !== null) return Object.values(value).some(isIn);
    return (typeof value === 'number' || typeof value === 'boolean') && String(value).includes(wanted);
  };
  return (event) => event.event.type.includes(wanted) || isIn(event.data);
}
