import type { Row } from './row.ts';
import { dist } from './support/agent-steps.ts';
import { milliseconds } from './support/figures.ts';
import { timeInTurns } from './support/time-in-turns.ts';

export const name = 'agent import';
export const goal = '≤ 150 ms';
export const about =
  '`import "tachograph/agent"` from the built library, above what `node -e 0` takes; interleaved runs.';

const ROUNDS = 20;
const MAX_MS = 150;

export async function run(): Promise<Row[]> {
  const node = process.execPath;
  const script = `import(${JSON.stringify(`${dist}/agent.js`)})`;
  const taken = timeInTurns({ bare: [node, '-e', '0'], agent: [node, '-e', script] }, ROUNDS);
  const own = taken.agent - taken.bare;
  return [
    {
      what: "import 'tachograph/agent'",
      ours: milliseconds(own),
      peer: milliseconds(taken.bare),
      peerName: 'node -e 0',
      ratio: own / taken.bare,
      goal: `≤ ${MAX_MS} ms`,
      met: own <= MAX_MS,
      note: `medians of ${ROUNDS}, Node ${process.version}`,
    },
  ];
}
