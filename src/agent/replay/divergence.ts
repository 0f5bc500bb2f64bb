import type { AgentDraft, AgentEvent } from '../../protocol/index.ts';

/** The first place where a replay and its log differ. */
export interface Divergence {
  seq: number;
  /** Where in the data, such as `data.verdict.decision`; empty if the events are of different types. */
  path: string;
  expected: unknown;
  actual: unknown;
  /** In words. */
  message: string;
}

export class Diverged extends Error {
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(divergence.message);
    this.name = 'Diverged';
    this.divergence = divergence;
  }
}

/** Compares an event of the replay with the one that the log has in its place. */
export function compareEvent(recorded: AgentEvent, draft: AgentDraft, seq: number): void {
  if (recorded.type !== draft.type) {
    const message = `event ${seq} is ${draft.type}; the log has ${recorded.type}`;
    throw new Diverged({ seq, path: '', expected: recorded.type, actual: draft.type, message });
  }
  // The common case costs one comparison: what is written is what is compared.
  if (JSON.stringify(recorded.data) === JSON.stringify(draft.data) && recorded.ts === draft.ts) return;
  const found =
    recorded.ts === draft.ts
      ? difference(recorded.data, draft.data, 'data')
      : { path: 'ts', expected: recorded.ts, actual: draft.ts };
  const shown = `${show(found.actual)}; the log has ${show(found.expected)}`;
  throw new Diverged({ seq, ...found, message: `event ${seq} (${draft.type}): ${found.path} is ${shown}` });
}

/** Where two values differ first. */
export function difference(
  expected: unknown,
  actual: unknown,
  path: string,
): { path: string; expected: unknown; actual: unknown } {
  if (isObject(expected) && isObject(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const [one, other] = [expected[key], actual[key]];
      if (JSON.stringify(one) !== JSON.stringify(other)) return difference(one, other, `${path}.${key}`);
    }
    return { path, expected: Object.keys(expected), actual: Object.keys(actual) };
  }
  return { path, expected, actual };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
