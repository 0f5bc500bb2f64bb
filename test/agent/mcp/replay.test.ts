import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { call, say } from '../../../src/agent/models/script.ts';
import { carryOut, dataOf, policyOf, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { smallServer, toolNamed } from './servers.ts';

const ACT = 'mcp__small__act';

async function recorded() {
  const server = smallServer([toolNamed('act'), toolNamed('other')]);
  const become = {
    do: 'become',
    tools: [toolNamed('act', { description: 'Does something else.' }), toolNamed('other')],
  };
  const made = testAgent({
    toolSources: [server.source],
    approvals: { decide: async () => ({ decision: 'approved', reason: null, rule: null, by: 'test' }) },
    script: [
      call(ACT, { n: 1 }),
      call('mcp__small__other', become),
      call(ACT, { n: 2 }),
      call(ACT, { do: 'die' }),
      say('Done.'),
    ],
  });
  const { result, events } = await carryOut(made);
  return { ...server, made, result, events };
}

it('a run with a server replays without the server', async () => {
  const { made, result, events, pids, file } = await recorded();
  expect(dataOf(events, 'approval_requested').length).toBe(1);
  fs.rmSync(file('tools.json'));
  const started = pids().length;
  const { toolSources: _, ...offline } = made.options;
  for (const options of [
    made.options,
    offline,
    { ...offline, policy: { ...policyOf(() => 'deny'), digest: 'other' } },
  ]) {
    expect(await new Agent(options).replay(result.run_id)).toEqual({ identical: true, events: events.length });
  }
  expect(pids().length).toBe(started);
});

it('a fork of a run with a server opens the real one again', async () => {
  const { made, result, events, calls, become } = await recorded();
  const at = events.find(({ type }) => type === 'tool_call_finished')!.seq;
  const fork = await made.agent.fork(result.run_id, { at, into: path.join(temporaryFolder(), 'fork') });
  const before = calls().length;
  become([toolNamed('act')]);
  const forked = testAgent({
    ...made.options,
    workspaceRoot: fork.workspaceRoot,
    script: [call(ACT, { n: 9 }), say('Done.')],
  });
  const { result: ended, events: all } = await carryOut(forked, forked.agent.resume(fork.runId));
  expect(ended.status).toBe('completed');
  expect(dataOf(all, 'run_resumed')[0]!.sources![0]!.tools.map(({ name }) => name)).toEqual([ACT]);
  expect(calls().slice(before)).toEqual(['act {"n":9}']);
});
