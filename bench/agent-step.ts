import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.ts';
import { measureAgentSteps, type Steps } from './support/agent-steps.ts';
import { installPackage } from './support/install-package.ts';

export const name = 'agent step';
export const goal = '≤ 0.15 ms of processor time with the full log, flat up to 5,000 steps (≤ 1.2×), ≤ 120 MB';
export const about =
  'A run on a scripted model: each step is one response with a text and a tool call, its policy, its result and eight events in the ' +
  'log. Processor time and memory of the whole process, after a first run of the same length. Peers, which keep no log and have no ' +
  'policy: pi-agent-core, and the loop of the AI SDK.';

const STEPS = [200, 1000, 5000] as const;
const MAX_MS = 0.15;
const MAX_GROWTH = 1.2;
const MAX_RSS_MB = 120;

export async function run(): Promise<Row[]> {
  const pi = peer('agent-steps-pi.mjs', installPackage('@earendil-works/pi-agent-core', '0.74.2'));
  const sdk = peer('agent-steps-ai.mjs', installPackage('ai', '6.0.326'));
  const ours = new Map<number, Steps>();
  const rows: Row[] = [];
  for (const steps of STEPS) {
    const own = measureAgentSteps(steps);
    ours.set(steps, own);
    const [one, other] = [pi(steps), sdk(steps)];
    const note = `${own.rssMb.toFixed(0)} MB; pi ${memory(one)}; AI SDK ${other ? `${perStep(other).toFixed(2)} ms, ${memory(other)}` : 'not available'}`;
    rows.push({
      what: `agent step, ${steps} steps`,
      ours: `${perStep(own).toFixed(3)} ms`,
      peer: one ? `${perStep(one).toFixed(3)} ms` : '–',
      peerName: 'pi-agent-core',
      ratio: one ? perStep(own) / perStep(one) : null,
      goal: steps === 5000 ? `≤ ${MAX_MS} ms` : '–',
      met: steps === 5000 ? perStep(own) <= MAX_MS : null,
      note,
    });
  }
  const growth = perStep(ours.get(5000)!) / perStep(ours.get(200)!);
  const { rssMb } = ours.get(5000)!;
  return [
    ...rows,
    {
      what: 'agent step, 5,000 steps against 200',
      ours: `${growth.toFixed(2)}×`,
      peer: '–',
      peerName: '–',
      ratio: growth,
      goal: `≤ ${MAX_GROWTH}×`,
      met: growth <= MAX_GROWTH,
    },
    {
      what: 'agent, memory after 5,000 steps',
      ours: `${rssMb.toFixed(0)} MB`,
      peer: '–',
      peerName: '–',
      ratio: null,
      goal: `≤ ${MAX_RSS_MB} MB`,
      met: rssMb <= MAX_RSS_MB,
    },
  ];
}

function perStep({ cpuMs, steps }: Steps): number {
  return cpuMs / steps;
}

function memory(steps: Steps | null): string {
  return steps ? `${steps.rssMb.toFixed(0)} MB` : 'not available';
}

/** Runs the program of a peer; null if it could not be installed. */
function peer(program: string, installed: ReturnType<typeof installPackage>): (steps: number) => Steps | null {
  const file = fileURLToPath(new URL(path.join('programs', program), import.meta.url));
  return (steps) => {
    if (installed.folder === null) return null;
    const text = execFileSync(process.execPath, [file, installed.folder, String(steps)], { encoding: 'utf8' });
    return JSON.parse(text.trim().split('\n').at(-1)!) as Steps;
  };
}
