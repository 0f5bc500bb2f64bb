import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { openRecordedRun } from '../../../src/agent/wal/index.ts';
import { type AgentEvent, agentEventDataSchemas } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { crashPlace, driveRun, type Place, runProcess } from './crash-driver.ts';
import { crashAgentOptions, FINAL_FILES, RUN } from './programs/crash-agent.ts';

/** Processes that run beside each other: starting one is the slowest part. */
const PARALLEL = 3;

interface WholeRun {
  events: AgentEvent[];
  effects: number;
}

let known: Promise<WholeRun> | null = null;

/** The run as it is if nothing happens to it. */
function wholeRun(): Promise<WholeRun> {
  known ??= (async () => {
    const place = crashPlace();
    expect((await driveRun(place, null)).last).toMatchObject({ status: 'completed' });
    const events = await checkedEvents(place);
    return { events, effects: fs.readFileSync(place.side, 'utf8').split('\n').length - 1 };
  })();
  return known;
}

/** The log verifies, replays to the same bytes, and every event fits its schema. */
async function checkedEvents({ workspace, side }: Place): Promise<AgentEvent[]> {
  const options = await crashAgentOptions(workspace, { side, at: () => {} });
  const recorded = openRecordedRun(path.join(workspace, '.tacho/runs', RUN, 'events.jsonl'));
  const events: AgentEvent[] = [];
  try {
    for await (const event of recorded.read()) events.push(event);
  } finally {
    recorded.close();
  }
  for (const { type, data } of events) agentEventDataSchemas[type].parse(data);
  expect(await new Agent(options).replay(RUN)).toEqual({ identical: true, events: events.length });
  return events;
}

function unknownOutcomes(events: readonly AgentEvent[]): number {
  return events.filter(
    ({ type, data }) =>
      type === 'tool_call_finished' &&
      (data as { result: { error_kind: string } }).result.error_kind === 'unknown_outcome',
  ).length;
}

async function expectCarriedThrough(point: string): Promise<void> {
  const { events, effects } = await wholeRun();
  const place = crashPlace();
  const { last, killed } = await driveRun(place, point);
  expect(killed, point).toBe(true);
  const isOver = point === `after:${events.length}`;
  expect(last, point).toMatchObject(isOver ? { code: 'RUN_ENDED' } : { status: 'completed', text: 'All done.' });
  for (const [name, content] of Object.entries(FINAL_FILES)) {
    expect(fs.readFileSync(path.join(place.workspace, name), 'utf8'), `${point}: ${name}`).toBe(content);
  }
  const begun = fs.readFileSync(place.side, 'utf8').split('\n').slice(0, -1);
  expect(begun.length, `${point}: ${begun.join('\n')}`).toBe(effects);
  expect(new Set(begun).size, point).toBe(effects);
  const [kind, at] = point.split(':') as [string, string];
  const isEffect = kind === 'entered' || kind === 'left';
  const isBetween = isEffect || (kind !== 'after' && events[Number(at) - 1]!.type === 'tool_call_finished');
  expect(unknownOutcomes(await checkedEvents(place)), point).toBe(isBetween ? 1 : 0);
}

async function expectAll(points: readonly string[]): Promise<void> {
  for (let done = 0; done < points.length; done += PARALLEL) {
    await Promise.all(points.slice(done, done + PARALLEL).map(expectCarriedThrough));
  }
}

/** As many as wanted, from everywhere. */
function spread<T>(all: readonly T[], count: number): T[] {
  const every = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, index) => index % every === every - 1);
}

describe('a run with files, commands, a patch and an approval', () => {
  it('has about 30 events and four effects', async () => {
    const { events, effects } = await wholeRun();
    expect(events.length).toBeGreaterThanOrEqual(30);
    expect(effects).toBe(4);
    expect(unknownOutcomes(events)).toBe(0);
  });

  it.each([
    ['before', 'before an event is appended'],
    ['torn', 'while an event is appended'],
    ['after', 'after an event was appended'],
  ])('survives a kill %s: %s', async (kind) => {
    const { events } = await wholeRun();
    const all = events.map(({ seq }) => `${kind}:${seq}`);
    await expectAll(spread(all, proofSize({ small: 2, full: all.length })));
  });

  it('survives a kill between effect and outcome, and before an effect that is about to begin', async () => {
    const { events } = await wholeRun();
    const outcomes = events.filter(({ type }) => type === 'tool_call_finished').map(({ seq }) => `before:${seq}`);
    // The fourth one is that of another process.
    const inside = [1, 2, 3].flatMap((number) => [`entered:${number}`, `left:${number}`]);
    await expectAll(spread([...outcomes, ...inside], proofSize({ small: 2, full: 100 })));
  });

  it('forces an intent to the disk before the effect begins', async () => {
    const place = crashPlace();
    const { trace = [] } = await runProcess('start', place, { TRACE: '1' });
    const entered = trace.flatMap((line, index) => (line.startsWith('entered') ? [index] : []));
    expect(entered).toHaveLength(3);
    for (const effect of entered) {
      const before = trace.slice(0, effect);
      const started = before.findLastIndex((line) => line.includes('tool_call_started'));
      const logSynced = before.indexOf('synced events.jsonl', started);
      const marked = before.indexOf('write intents', started);
      const markSynced = before.indexOf('synced intents', marked);
      expect([started >= 0, logSynced > started, marked > logSynced, markSynced > marked], trace.join('\n')).toEqual([
        true,
        true,
        true,
        true,
      ]);
    }
  });
});
