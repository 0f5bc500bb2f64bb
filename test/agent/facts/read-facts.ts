import fs from 'node:fs';
import path from 'node:path';
import { AgentFacts } from '../../../src/agent/facts/index.ts';
import { genesisChain, nodeSha256 } from '../../../src/journal/index.ts';
import { type AgentAnswer, agentAnswerSchema, agentPromptSchema } from '../../../src/protocol/index.ts';
import { MEMBER_LENGTH, recomputedChain } from '../../../src/record/chain.ts';
import { temporaryFolder } from '../../support/tacho.ts';

export interface FactsOf {
  workspace: string;
  run_id: string;
  agent?: string;
}

/** The facts of a run, checked against the schema of the answer. */
export async function factsOf(
  place: FactsOf,
  { reader = new AgentFacts(), afterStep = 0, limit = 1000 } = {},
): Promise<AgentAnswer> {
  return agentAnswerSchema.parse(await reader.read(place, { afterStep, limit }, []));
}

export async function promptOf(place: FactsOf, step?: number, { reader = new AgentFacts() } = {}) {
  return agentPromptSchema.parse(await reader.prompt(place, { step, afterMessage: -1, limit: 1000 }));
}

/** A workspace with one of the kept runs. */
export function keptRun(run_id: string): FactsOf & { log: string } {
  const workspace = fs.realpathSync(temporaryFolder());
  const folder = path.join(workspace, '.tacho/runs', run_id);
  fs.cpSync(path.join('test/fixtures/agent', run_id), folder, { recursive: true });
  return { workspace, run_id, log: path.join(folder, 'events.jsonl') };
}

/** A log that was never written by an agent, with a chain that holds: anyone can compute it. */
export function forgedRun(run_id: string, events: readonly { type: string; data: unknown; ts?: string }[]): FactsOf {
  const workspace = fs.realpathSync(temporaryFolder());
  const folder = path.join(workspace, '.tacho/runs', run_id);
  fs.mkdirSync(folder, { recursive: true });
  let chain = genesisChain(run_id);
  const lines = events.map(({ type, data, ts = '2026-11-18T00:00:00.000Z' }, index) => {
    const event = { protocol_version: 'agent/1.0', run_id, seq: index + 1, ts, type, data };
    const body = JSON.stringify(event).slice(0, -1);
    const unchained = Buffer.from(`${body},"chain":"${'0'.repeat(64)}"}`);
    if (unchained.length <= MEMBER_LENGTH) throw new Error('too short');
    chain = recomputedChain(chain, unchained, nodeSha256);
    return `${body},"chain":"${chain}"}\n`;
  });
  fs.writeFileSync(path.join(folder, 'events.jsonl'), lines.join(''));
  return { workspace, run_id };
}
