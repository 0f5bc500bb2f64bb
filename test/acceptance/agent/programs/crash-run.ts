// Starts or resumes the run of crash-agent.ts, until it ends, waits or is killed; prints its result.
// biome-ignore-all assist/source/organizeImports: the switch has to come before everything else
import { effectPoint, trace } from './kill-switch.ts';
import { Agent } from '../../../../src/agent.ts';
import { crashAgentOptions, RUN } from './crash-agent.ts';

const [how, workspace, side] = process.argv.slice(2) as ['start' | 'resume', string, string];
const agent = new Agent(await crashAgentOptions(workspace, { side, at: effectPoint }));
const run = how === 'start' ? agent.run('Do all of it', { runId: RUN }) : agent.resume(RUN);
try {
  console.log(JSON.stringify({ ...(await run.result), trace }));
} catch (error) {
  const { code, message, facts } = error as { code?: string; message: string; facts?: unknown };
  console.log(JSON.stringify({ status: 'error', code, message, facts }));
}
