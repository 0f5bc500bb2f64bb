import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { childRunId } from '../../../src/agent/children/child-id.ts';
import { agentFromConfig } from '../../../src/agent/from-config/index.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import { listAgentRuns, openRecordedRun, walLocator } from '../../../src/agent/wal/index.ts';
import { type AgentEvent, agentEventDataSchemas } from '../../../src/protocol/index.ts';
import { workspaceRuntime } from '../../../src/runtime/port/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import {
  type CrashPlace,
  crashPlace,
  driveFamily,
  endDaemon,
  type KillPoint,
  LINES,
  PARENT,
  processesOf,
  TEXT,
  wasKilled,
} from './child-crash-driver.ts';

/** Families that run beside each other: starting processes is the slowest part. */
const PARALLEL = 3;
const CHILD = childRunId(PARENT, '1.spawn');
const ROLES = ['parent', 'daemon', 'child'] as const;

/** The log verifies, replays to the same bytes, and every event fits its schema. */
async function checkedEvents({ workspace, home }: CrashPlace, runId: string): Promise<AgentEvent[]> {
  const recorded = openRecordedRun(walLocator(workspace, runId));
  const events: AgentEvent[] = [];
  try {
    for await (const event of recorded.read()) events.push(event);
  } finally {
    recorded.close();
  }
  for (const { type, data } of events) agentEventDataSchemas[type].parse(data);
  const override = { model: scriptedModel([]) };
  const { agent } = await agentFromConfig(workspace, { home, env: {}, runtime: workspaceRuntime, override });
  expect(await agent.replay(runId), runId).toEqual({ identical: true, events: events.length });
  return events;
}

let whole: Promise<{ parent: number; child: number }> | null = null;

/** How many events the logs have if nothing happens. */
function wholeFamily(): Promise<{ parent: number; child: number }> {
  whole ??= (async () => {
    const place = await crashPlace();
    expect(await driveFamily(place, null)).toMatchObject({ status: 'completed', text: TEXT });
    const [parent, child] = [await checkedEvents(place, PARENT), await checkedEvents(place, CHILD)];
    return { parent: parent.length, child: child.length };
  })();
  return whole;
}

async function expectCarriedThrough(kill: KillPoint): Promise<void> {
  const place = await crashPlace();
  const name = `${kill.who} killed ${kill.kind} event ${kill.seq} of ${kill.run}`;
  const last = await driveFamily(place, kill);
  // Its last event was in the log: there is nothing to resume.
  const isOver = last.code === 'RUN_ENDED';
  if (!isOver) expect(last, name).toMatchObject({ status: 'completed', text: TEXT });
  expect(fs.readFileSync(path.join(place.workspace, 'lines.txt'), 'utf8'), name).toBe(LINES);
  const children = (await listAgentRuns(place.workspace)).filter(({ run_id }) => run_id !== PARENT);
  expect(children, name).toMatchObject([{ parent: { run_id: PARENT } }]);
  const parent = await checkedEvents(place, PARENT);
  expect(parent.at(-1), name).toMatchObject({ type: 'run_completed', data: { text: TEXT } });
  expect((await checkedEvents(place, children[0]!.run_id)).at(-1), name).toMatchObject({ type: 'run_completed' });
  await endDaemon(place);
  expect(processesOf(place), name).toEqual([]);
  // The number of times that a parent is told what its child uses depends on how fast both are.
  if (kill.run === CHILD) expect(wasKilled(place), name).toBe(true);
}

async function expectAll(points: readonly KillPoint[]): Promise<void> {
  for (let done = 0; done < points.length; done += PARALLEL) {
    await Promise.all(points.slice(done, done + PARALLEL).map(expectCarriedThrough));
  }
}

/** As many as wanted, from everywhere. */
function spread<T>(all: readonly T[], count: number): T[] {
  const every = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, index) => index % every === every - 1);
}

function pointsOf(run: string, events: number, who: KillPoint['who']): KillPoint[] {
  const isOwn = (run === PARENT) === (who === 'parent') && who !== 'daemon';
  const kinds = isOwn ? (['before', 'torn', 'after'] as const) : (['after'] as const);
  const seqs = Array.from({ length: events }, (_, index) => index + 1);
  return seqs.flatMap((seq) => kinds.map((kind) => ({ run, kind, seq, who })));
}

describe('a parent, its child and the daemon', () => {
  it('have logs of about 20 events each if nothing happens', async () => {
    const { parent, child } = await wholeFamily();
    expect(parent).toBeGreaterThanOrEqual(15);
    expect(child).toBeGreaterThanOrEqual(20);
  });

  it.each(ROLES)('carry the work through if the %s is killed at an event of the child', async (who) => {
    const points = pointsOf(CHILD, (await wholeFamily()).child, who);
    await expectAll(spread(points, proofSize({ small: 3, full: points.length })));
  });

  it.each(ROLES)('carry the work through if the %s is killed at an event of the parent', async (who) => {
    const points = pointsOf(PARENT, (await wholeFamily()).parent, who);
    await expectAll(spread(points, proofSize({ small: 2, full: points.length })));
  });
});
