import type { RunAgentOptions } from '../commands/agent.ts';
import { count } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { findRun, openAgent } from './open-agent.ts';

/** `tacho agent replay <run>` */
export async function replayAgent(wanted: string, options: RunAgentOptions): Promise<number> {
  const runId = await findRun(wanted, options);
  const { agent } = await openAgent({ ...options, quiet: true }, { needsModel: false });
  const result = await agent.replay(runId);
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.identical) process.stdout.write(`identical: ${count(result.events, 'event')}\n`);
  else {
    process.stdout.write(
      `${paint.red('different')} after ${count(result.events, 'event')}: ${result.divergence.message}\n`,
    );
  }
  return result.identical ? 0 : 1;
}
