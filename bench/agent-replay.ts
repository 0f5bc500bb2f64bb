import fs from 'node:fs';
import type * as library from '../src/agent.ts';
import type * as testkit from '../src/agent-testkit.ts';
import type { Row } from './row.ts';
import { dist, measureAgentSteps } from './support/agent-steps.ts';

export const name = 'agent replay';
export const goal = '≥ 20,000 events/s';
export const about =
  'The log of a run of 5,000 steps, carried out again by the real loop and compared event by event. Peer: reading the same log and ' +
  'checking its chain, without the loop.';

const STEPS = 5000;
const MIN_RATE = 20_000;

export async function run(): Promise<Row[]> {
  const { workspaceRoot, runId } = measureAgentSteps(STEPS, 'keep') as { workspaceRoot: string; runId: string };
  const { Agent, createPolicy, openRecordedRun, tool }: typeof library = await import(`${dist}/agent.js`);
  const { scriptedModel }: typeof testkit = await import(`${dist}/agent-testkit.js`);
  try {
    const look = tool({
      name: 'look',
      description: 'Looks something up.',
      input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      concurrency: 'shared',
      hasEffects: false,
      execute: () => '',
    });
    const policy = await createPolicy({ workspaceRoot, rules: [{ decision: 'allow', tool: 'look' }] });
    const agent = new Agent({
      workspaceRoot,
      model: scriptedModel([]),
      tools: [look],
      policy,
      sandbox: { profile: 'none' },
    });
    const readRate = await rateOf(async () => {
      const recorded = openRecordedRun(`${workspaceRoot}/.tacho/runs/${runId}/events.jsonl`);
      let events = 0;
      for await (const _ of recorded.read()) events++;
      recorded.close();
      return events;
    });
    const replayRate = await rateOf(async () => {
      const result = await agent.replay(runId);
      if (!result.identical) throw new Error(result.divergence.message);
      return result.events;
    });
    return [
      {
        what: 'agent replay',
        ours: `${Math.round(replayRate).toLocaleString('en')} events/s`,
        peer: `${Math.round(readRate).toLocaleString('en')} events/s`,
        peerName: 'reading and checking the log',
        ratio: readRate / replayRate,
        goal: `≥ ${MIN_RATE.toLocaleString('en')} events/s`,
        met: replayRate >= MIN_RATE,
      },
    ];
  } finally {
    fs.rmSync(workspaceRoot, { recursive: true, force: true });
  }
}

/** Events a second, the better of two rounds: the first one also compiles the code. */
async function rateOf(work: () => Promise<number>): Promise<number> {
  let best = 0;
  for (let round = 0; round < 2; round++) {
    const start = performance.now();
    const events = await work();
    best = Math.max(best, (events / (performance.now() - start)) * 1000);
  }
  return best;
}
