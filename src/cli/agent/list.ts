import { type AgentRunEntry, listAgentRuns, openRecordedRun, walLocator } from '../../agent/wal/index.ts';
import type { AgentOptions } from '../commands/agent.ts';
import { formatTime, printable, table } from '../output/format.ts';
import { findRun, workspaceOf } from './open-agent.ts';

const MAX_DATA = 140;

/** `tacho agent ls` */
export async function listAgents(options: AgentOptions): Promise<void> {
  const runs = await listAgentRuns(workspaceOf(options));
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ runs })}\n`);
    return;
  }
  if (runs.length === 0) {
    process.stdout.write('There are no agent runs in this folder.\n');
    process.stderr.write('To start one: tacho agent "what it is to do"\n');
    return;
  }
  const rows = runs.map((run) => [
    run.run_id,
    run.started_at ? formatTime(run.started_at) : '–',
    statusOf(run),
    String(run.last?.seq ?? 0),
  ]);
  process.stdout.write(table([['RUN', 'STARTED', 'STATUS', 'EVENTS'], ...rows]));
}

/** `tacho agent show` */
export async function showAgent(wanted: string, options: AgentOptions): Promise<void> {
  const recorded = openRecordedRun(walLocator(workspaceOf(options), await findRun(wanted, options)));
  try {
    for await (const event of recorded.read()) {
      if (options.json) {
        process.stdout.write(`${JSON.stringify(event)}\n`);
        continue;
      }
      if (event.type === 'llm_response_delta') continue;
      const data = printable(JSON.stringify(event.data));
      const short = data.length > MAX_DATA ? `${data.slice(0, MAX_DATA - 1)}…` : data;
      process.stdout.write(
        `${String(event.seq).padStart(5)}  ${event.ts.slice(11, 23)}  ${event.type.padEnd(22)}  ${short}\n`,
      );
    }
  } finally {
    recorded.close();
  }
}

function statusOf({ last, held, problem }: AgentRunEntry): string {
  if (problem !== null) return `unreadable: ${printable(problem)}`;
  switch (last?.type) {
    case 'run_completed':
      return 'completed';
    case 'run_failed':
      return 'failed';
    case 'run_cancelled':
      return 'cancelled';
    case 'run_waiting':
      return 'waiting';
    default:
      return held ? 'running' : 'interrupted';
  }
}
