import type { Agent } from '../../agent/agent.ts';
import { publicDivergence } from '../../agent/replay/public-divergence.ts';
import type { ReplayResult } from '../../agent/replay/replay-run.ts';
import { openRecordedRun, walLocator } from '../../agent/wal/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import type { ReplayAgentOptions } from '../commands/agent.ts';
import { count, printable } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { findRun, openAgent } from './open-agent.ts';

/** `tacho agent replay <run>` */
export async function replayAgent(wanted: string, options: ReplayAgentOptions): Promise<number> {
  const runId = await findRun(wanted, options);
  const { agent } = await openAgent({ ...options, quiet: true }, { needsModel: false });
  const result = await agent.replay(runId);
  const missing = result.identical ? [] : await missingTools(agent, runId);
  if (options.json) {
    const shown = options.public ? await publicResult(result, agent, runId) : result;
    process.stdout.write(`${JSON.stringify({ ...shown, missing_tools: missing })}\n`);
  } else if (result.identical) process.stdout.write(`identical: ${count(result.events, 'event')}\n`);
  else {
    process.stdout.write(
      `${paint.red('different')} after ${count(result.events, 'event')}: ${result.divergence.message}\n`,
    );
    if (missing.length > 0) {
      const names = missing.map((name) => printable(name)).join(', ');
      process.stderr.write(`The run had tools that this configuration does not have: ${names}\n`);
    }
  }
  return result.identical ? 0 : 1;
}

async function publicResult(result: ReplayResult, agent: Agent, runId: string): Promise<object> {
  if (result.identical) return result;
  const { divergence } = result;
  let recorded: AgentEvent | undefined;
  for await (const event of eventsOf(agent, runId)) if (event.seq === divergence.seq) recorded = event;
  return { ...result, divergence: publicDivergence(divergence, recorded) };
}

/** Tools that a program passed itself, or that were removed since: their calls cannot be prepared again. */
async function missingTools(agent: Agent, runId: string): Promise<string[]> {
  const { openParts } = await import('../../agent/run/run-parts.ts');
  const { registry } = await openParts(agent.options, agent.options.workspaceRoot);
  const missing = new Set<string>();
  for await (const { type, data } of eventsOf(agent, runId)) {
    if (type !== 'run_started' && type !== 'run_resumed') continue;
    for (const { name } of data.tools) if (!registry.get(name)) missing.add(name);
  }
  return [...missing];
}

async function* eventsOf(agent: Agent, runId: string): AsyncGenerator<AgentEvent> {
  const recorded = openRecordedRun(walLocator(agent.options.workspaceRoot, runId));
  try {
    yield* recorded.read();
  } finally {
    recorded.close();
  }
}
