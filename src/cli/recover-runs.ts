import { findRun } from '../recording/index.ts';
import { completeLostAttempt, type RunContext, recoverLostRuns } from '../runs/index.ts';
import type { CommonOptions } from './common-options.ts';
import { openContext } from './context.ts';

export async function recoverRuns(selector: string | undefined, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const completed = selector === undefined ? await recoverLostRuns(context) : await recoverOne(selector, context);
  if (options.json) process.stdout.write(`${JSON.stringify({ completed })}\n`);
  else if (completed.length === 0) process.stdout.write('Nothing to complete.\n');
  else for (const runId of completed) process.stdout.write(`completed ${runId}\n`);
}

async function recoverOne(selector: string, context: RunContext): Promise<string[]> {
  const { runId } = findRun(context.home.runs, selector);
  return (await completeLostAttempt(selector, context)) ? [runId] : [];
}
