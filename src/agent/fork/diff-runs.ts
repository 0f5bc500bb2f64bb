import type { AgentEvent, AgentEventType } from '../../protocol/index.ts';
import { difference } from '../replay/divergence.ts';
import { type RunSummary, RunSummaryBuilder, type StepSummary } from './run-summary.ts';

/** The first place where two logs differ. */
export interface FirstDifference {
  /** Of both events. */
  seq: number;
  /** Null where a log has ended. */
  types: [AgentEventType | null, AgentEventType | null];
  /** Such as `data.result.stdout`; empty if the types differ. */
  path: string;
  a: unknown;
  b: unknown;
}

export type StepField = Exclude<keyof StepSummary, 'step'>;

export interface StepDifference {
  step: number;
  /** Null if this run has no such step. */
  a: StepSummary | null;
  b: StepSummary | null;
  /** What differs, if both have it. */
  fields: StepField[];
}

export interface RunDiff {
  /** How many events both begin with. */
  common: number;
  /** Null if the logs are the same. */
  first: FirstDifference | null;
  /** Only steps that differ. */
  steps: StepDifference[];
  a: Omit<RunSummary, 'steps'>;
  b: Omit<RunSummary, 'steps'>;
}

type Events = Iterable<AgentEvent> | AsyncIterable<AgentEvent>;

/**
 * Compares two logs: their events one by one up to the first difference, and then what was said and done in each step.
 * Times, ids and digests of a run are its own and do not count.
 */
export async function diffRuns(a: Events, b: Events): Promise<RunDiff> {
  const [one, other] = [await collect(a), await collect(b)];
  const ignored = isRelated(one.first, other.first) ? OWN : new Set([...OWN, ...KEYED]);
  let common = 0;
  const [here, there] = [one.events, other.events];
  while (common < here.length && common < there.length && isSame(here[common]!, there[common]!, ignored)) common++;
  const { steps: stepsA, ...summaryA } = one.summary;
  const { steps: stepsB, ...summaryB } = other.summary;
  return {
    common,
    first: firstDifference(here[common], there[common], common + 1, ignored),
    steps: stepDifferences(stepsA, stepsB),
    a: summaryA,
    b: summaryB,
  };
}

/** Members of data that are different in every run. */
const OWN: ReadonlySet<string> = new Set([
  'approval_id',
  'digest',
  'duration_ms',
  'exact',
  'forked_from',
  'prefix_digest',
  'question_id',
  'run_id',
  'session_id',
]);
/** Keys of contents, by a secret of the run: the same only in a run and its forks. And the length of a path. */
const KEYED: readonly string[] = ['before', 'after', 'chars', 'sources'];

async function collect(events: Events) {
  const list: AgentEvent[] = [];
  const builder = new RunSummaryBuilder();
  let workspace = '';
  for await (const original of events) {
    const { type, data } = original;
    if (type === 'run_started' || type === 'run_resumed' || type === 'run_forked')
      workspace = data.workspace ?? workspace;
    const event = withoutWorkspace(original, workspace);
    list.push(event);
    builder.push(event);
  }
  return { events: list, first: list[0], summary: builder.summary() };
}

/** The folder that a run works in is its own as well. */
function withoutWorkspace(event: AgentEvent, workspace: string): AgentEvent {
  const json = JSON.stringify(event.data);
  const quoted = JSON.stringify(workspace).slice(1, -1);
  if (workspace.length < 2 || !json.includes(quoted)) return event;
  // Not the beginning of a longer name.
  const pattern = new RegExp(`${quoted.replaceAll(/[^\w/]/g, '\\$&')}(?![\\w-])`, 'g');
  return { ...event, data: JSON.parse(json.replaceAll(pattern, '{workspace}')) } as AgentEvent;
}

function isRelated(one: AgentEvent | undefined, other: AgentEvent | undefined): boolean {
  if (one?.type !== 'run_started' || other?.type !== 'run_started') return false;
  const [a, b] = [one.data.forked_from?.run_id, other.data.forked_from?.run_id];
  return a === other.run_id || b === one.run_id || (a !== undefined && a === b);
}

function isSame(one: AgentEvent, other: AgentEvent, ignored: ReadonlySet<string>): boolean {
  return one.type === other.type && comparable(one.data, ignored) === comparable(other.data, ignored);
}

function comparable(data: unknown, ignored: ReadonlySet<string>): string {
  return JSON.stringify(data, (key, value) => (ignored.has(key) ? undefined : value));
}

function firstDifference(
  one: AgentEvent | undefined,
  other: AgentEvent | undefined,
  seq: number,
  ignored: ReadonlySet<string>,
): FirstDifference | null {
  if (!one && !other) return null;
  const types: FirstDifference['types'] = [one?.type ?? null, other?.type ?? null];
  if (!one || !other || one.type !== other.type) return { seq, types, path: '', a: types[0], b: types[1] };
  const [a, b] = [one, other].map(({ data }) => JSON.parse(comparable(data, ignored)) as unknown);
  const { path, expected, actual } = difference(a, b, 'data');
  return { seq, types, path, a: expected, b: actual };
}

function stepDifferences(
  one: ReadonlyMap<number, StepSummary>,
  other: ReadonlyMap<number, StepSummary>,
): StepDifference[] {
  const numbers = [...new Set([...one.keys(), ...other.keys()])].sort((a, b) => a - b);
  return numbers.flatMap((step): StepDifference[] => {
    const [a, b] = [one.get(step) ?? null, other.get(step) ?? null];
    if (!a || !b) return [{ step, a, b, fields: [] }];
    const fields = (['messages', 'text', 'calls', 'usage'] as const).filter(
      (field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]),
    );
    return fields.length === 0 ? [] : [{ step, a, b, fields: [...fields] }];
  });
}
