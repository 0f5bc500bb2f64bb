import { findRun, readRunRecord } from '../../recording/index.ts';
import { cancelRun } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';

const LOOK_MS = 50;

/** `tacho cancel`: waits until the run has ended. Ending one that has ended changes nothing. */
export async function endRun(selector: string, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  let record = await cancelRun(folder, context);
  while (record.live !== null) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    record = readRunRecord(folder);
  }
  const { run_id, handle, status } = record;
  if (options.json) process.stdout.write(`${JSON.stringify({ run_id, status })}\n`);
  else process.stdout.write(`${status === 'canceled' ? paint.yellow('◼') : '·'} run ${handle} is ${status}\n`);
}
