import { hasEnded, type RunRecord, statusPhrase } from '../../protocol/index.ts';
import { findRun } from '../../recording/index.ts';
import { cancelRun, whenLeft } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';

/** `tacho cancel`: waits until the run has ended. Canceling an ended run changes nothing. */
export async function endRun(selector: string, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  let record: RunRecord;
  do record = await whenLeft(folder, await cancelRun(folder, context), { recovers: false });
  while (
    // Its attempt just ended with a question: the run now waits, and can be ended.
    !hasEnded(record)
  );
  const { run_id, handle, status } = record;
  if (options.json) process.stdout.write(`${JSON.stringify({ run_id, status })}\n`);
  else
    process.stdout.write(`${status === 'canceled' ? paint.yellow('◼') : '·'} run ${handle} ${statusPhrase(record)}\n`);
}
