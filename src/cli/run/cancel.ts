import { pollUntil } from '../../files/index.ts';
import { findRun, readRunRecord } from '../../recording/index.ts';
import { cancelRun } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';

const POLL_INTERVAL_MS = 50;

/** `tacho cancel`: waits until the run has ended. Ending one that has ended changes nothing. */
export async function endRun(selector: string, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  await cancelRun(folder, context);
  await pollUntil(() => readRunRecord(folder).live === null, { everyMs: POLL_INTERVAL_MS });
  const { run_id, handle, status } = readRunRecord(folder);
  if (options.json) process.stdout.write(`${JSON.stringify({ run_id, status })}\n`);
  else process.stdout.write(`${status === 'canceled' ? paint.yellow('◼') : '·'} run ${handle} is ${status}\n`);
}
