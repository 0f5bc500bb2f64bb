import { type AgentRunEntry, listAgentRuns, openRecordedRun, statusOfRun, walLocator } from '../../agent/wal/index.ts';
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
  const rows = asTree(runs).map(({ run, indent }) => [
    `${indent}${run.run_id}`,
    run.started_at ? formatTime(run.started_at) : '–',
    run.problem === null ? statusOfRun(run) : `unreadable: ${printable(run.problem)}`,
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

interface Row {
  run: AgentRunEntry;
  indent: string;
}

/** Child agents below their parents, the oldest first; a child whose parent is gone stands by itself. */
function asTree(runs: readonly AgentRunEntry[]): Row[] {
  const ids = new Set(runs.map(({ run_id }) => run_id));
  const shown = new Set<string>();
  const below = (run: AgentRunEntry, depth: number): Row[] => {
    if (shown.has(run.run_id)) return [];
    shown.add(run.run_id);
    const children = runs.filter(({ parent }) => parent?.run_id === run.run_id).reverse();
    return [{ run, indent: '  '.repeat(depth) }, ...children.flatMap((child) => below(child, depth + 1))];
  };
  const roots = runs.filter(({ parent }) => parent === null || !ids.has(parent.run_id));
  // A log that was changed by hand may name itself as its parent.
  return [...roots, ...runs].flatMap((run) => below(run, 0));
}
