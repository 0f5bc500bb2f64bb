import { findRun } from '../../recording/index.ts';
import { completeLostAttempt, type Recovery, type RunContext, recoverLostRuns } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';

export async function recoverRuns(selector: string | undefined, options: CommonOptions): Promise<void> {
  const context = openContext(options);
  const recovery = selector === undefined ? await recoverLostRuns(context) : await recoverOne(selector, context);
  const { completed, canceled, failed } = recovery;
  if (failed.length > 0) process.exitCode = 1;
  if (options.json) process.stdout.write(`${JSON.stringify(recovery)}\n`);
  else if (completed.length + canceled.length + failed.length === 0) process.stdout.write('Nothing to complete.\n');
  else process.stdout.write(describeRecovery(recovery));
}

export function describeRecovery({ completed, canceled, failed }: Recovery): string {
  const done = completed.map((runId) => `completed the record of ${runId}, whose recorder had died\n`);
  const ended = canceled.map((runId) => `canceled ${runId}, as requested before\n`);
  const left = failed.map(({ runId, message }) => `could not complete the record of ${runId}: ${message}\n`);
  return [...done, ...ended, ...left].join('');
}

async function recoverOne(selector: string, context: RunContext): Promise<Recovery> {
  const { runId } = findRun(context.home.runs, selector);
  return { completed: (await completeLostAttempt(selector, context)) ? [runId] : [], canceled: [], failed: [] };
}
