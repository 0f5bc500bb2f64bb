import { findRun } from '../../recording/index.ts';
import { cancelRun, whenLeft } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';

/** `tacho cancel`: waits until the run has ended. Ending one that has ended changes nothing. */
export async function endRun(selector: string, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const canceled = await cancelRun(folder, context);
  const { run_id, handle, status } = await whenLeft(folder, canceled, { recovers: false });
  if (options.json) process.stdout.write(`${JSON.stringify({ run_id, status })}\n`);
  else process.stdout.write(`${status === 'canceled' ? paint.yellow('◼') : '·'} run ${handle} is ${status}\n`);
}
