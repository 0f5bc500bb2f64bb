import type { Row } from './row.ts';
import { type ChildSteps, measureChildSteps } from './support/child-steps.ts';

export const name = 'child agents at once';
export const goal = 'flat from 50 to 500 steps: processor time of a step ≤ 1.2×, memory of an agent ≤ 1.3×';
export const about =
  'Twenty child agents work at the same time in the daemon of a workspace, each a process of its own: scripted models, each step with a ' +
  'tool call, its policy, its events in the log, and the question whether the budgets of the tree allow it. Processor time is that of ' +
  'the agents and the daemon, from when all have started until all have taken their steps; memory is that of each agent then, with a ' +
  'conversation that a script does not let shrink. Beside it, in the same run, one agent that takes as many steps as the twenty together.';

const AGENTS = 20;
const STEPS = [50, 500] as const;
const MAX_TIME_GROWTH = 1.2;
const MAX_MEMORY_GROWTH = 1.3;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  const taken = new Map<number, ChildSteps>();
  for (const steps of STEPS) {
    const many = await measureChildSteps({ agents: AGENTS, steps });
    const one = await measureChildSteps({ agents: 1, steps: AGENTS * steps });
    taken.set(steps, many);
    rows.push({
      what: `${AGENTS} child agents, processor time of a step, ${steps} steps each`,
      ours: `${many.cpuMsPerStep.toFixed(2)} ms`,
      peer: `${one.cpuMsPerStep.toFixed(2)} ms`,
      peerName: `one agent, ${AGENTS * steps} steps`,
      ratio: many.cpuMsPerStep / one.cpuMsPerStep,
      goal: '–',
      met: null,
      note: `${many.rssMb.toFixed(0)} MB each; one agent ${one.rssMb.toFixed(0)} MB`,
    });
  }
  const [few, more] = STEPS.map((steps) => taken.get(steps)!) as [ChildSteps, ChildSteps];
  return [
    ...rows,
    growthRow('processor time of a step', more.cpuMsPerStep / few.cpuMsPerStep, MAX_TIME_GROWTH),
    growthRow('memory of an agent', more.rssMb / few.rssMb, MAX_MEMORY_GROWTH),
  ];
}

function growthRow(what: string, growth: number, max: number): Row {
  return {
    what: `${AGENTS} child agents, ${what}, 500 steps against 50`,
    ours: `${growth.toFixed(2)}×`,
    peer: '–',
    peerName: '–',
    ratio: growth,
    goal: `≤ ${max}×`,
    met: growth <= max,
  };
}
