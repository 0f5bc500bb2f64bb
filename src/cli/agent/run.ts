import type { AgentRun } from '../../agent/run/agent-run.ts';
import type { RunResult } from '../../agent/run/run-result.ts';
import { listAgentRuns } from '../../agent/wal/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { RunAgentOptions } from '../commands/agent.ts';
import { count } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { stopSignal } from '../stop-signal.ts';
import { EventLines } from './event-lines.ts';
import { findRun, openAgent, workspaceOf } from './open-agent.ts';

/** `tacho agent <task>` */
export async function runAgent(task: string, options: RunAgentOptions): Promise<number> {
  if (task.trim() === '') {
    throw new TachoError('USAGE', 'the task is empty', {
      fix: 'Say what the agent is to do: tacho agent "fix the test"',
    });
  }
  const lines = new EventLines(options);
  const { agent } = await openAgent(options, { lines });
  return await follow(agent.run(task), options, { lines });
}

/** `tacho agent resume <run>` */
export async function resumeAgent(wanted: string, options: RunAgentOptions): Promise<number> {
  const runId = await findRun(wanted, options);
  const lines = new EventLines(options);
  const { agent } = await openAgent(options, { lines });
  const known = (await listAgentRuns(workspaceOf(options))).find(({ run_id }) => run_id === runId)?.last?.seq ?? 0;
  return await follow(agent.resume(runId), options, { lines, afterSeq: known });
}

/** Shows events after `afterSeq`: those before were shown by the process that made them. */
async function follow(
  run: AgentRun,
  options: RunAgentOptions,
  { lines, afterSeq = 0 }: { lines: EventLines; afterSeq?: number },
): Promise<number> {
  const stop = stopSignal();
  stop.addEventListener('abort', () => void run.cancel('interrupted'), { once: true });
  for await (const event of run) {
    if (event.seq <= afterSeq) lines.skip(event);
    else if (options.json) process.stdout.write(`${JSON.stringify(event)}\n`);
    else lines.show(event);
  }
  const result = await run.result;
  if (!options.json) report(result, options);
  return exitCodeOf(result);
}

function report(result: RunResult, { quiet = false }: RunAgentOptions): void {
  switch (result.status) {
    case 'completed':
      // On a terminal it was shown word by word.
      if (quiet || !process.stdout.isTTY || !process.stderr.isTTY) process.stdout.write(`${result.text}\n`);
      break;
    case 'failed':
      process.stderr.write(
        `${paint.red('tacho:')} the run failed: ${result.message} ${paint.dim(`[${result.reason}]`)}\n`,
      );
      break;
    case 'cancelled':
      process.stderr.write(`${paint.yellow('tacho:')} cancelled: ${result.reason}\n`);
      break;
    case 'waiting': {
      const ids = [...result.approvals, ...result.questions];
      process.stderr.write(`${paint.yellow('tacho:')} waiting for: ${ids.join(', ')}\n`);
      process.stderr.write(`  tacho agent decide ${ids[0] ?? ''} approve\n  tacho agent resume ${result.run_id}\n`);
      break;
    }
    case 'closed':
      process.stderr.write(
        `${paint.yellow('tacho:')} closed: ${result.reason}\n  tacho agent resume ${result.run_id}\n`,
      );
  }
  if (quiet) return;
  const tokens = result.usage.total_tokens ?? 0;
  const cost = result.cost_usd === null ? '' : `, $${result.cost_usd.toFixed(4)}`;
  process.stderr.write(
    paint.dim(`${result.run_id}: ${count(result.steps, 'step')}, ${count(tokens, 'token')}${cost}\n`),
  );
}

function exitCodeOf({ status }: RunResult): number {
  switch (status) {
    case 'completed':
      return 0;
    case 'failed':
      return 1;
    case 'waiting':
    case 'closed':
      return 10;
    case 'cancelled':
      return 130;
  }
}
