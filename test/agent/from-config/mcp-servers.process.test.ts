import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentFromConfig } from '../../../src/agent/from-config/agent-from-config.ts';
import { dataOf } from '../../support/agent.ts';
import { smallServer, toolNamed } from '../mcp/servers.ts';
import { type Sections, userWith, yaml } from './user.ts';

const OWN: Sections = {
  llm: { provider: 'scripted' },
  models: { executor: 'script.json' },
  sandbox: { profile: 'none' },
};
const CALL = { type: 'call', name: 'mcp__small__act', arguments: { n: 1 } };

type User = ReturnType<typeof userWith>;

async function runOf(user: User) {
  const { agent } = await agentFromConfig(user.root, user);
  const run = agent.run('Act.');
  const events = [];
  for await (const event of run) events.push(event);
  const results = dataOf(events, 'tool_call_finished').map(({ result }) => result);
  return { events, results, result: await run.result };
}

const script = { 'script.json': JSON.stringify([CALL, 'Done.']) };

describe('MCP servers of the settings', () => {
  test('are used by the agent, with the policy of the settings', async () => {
    const { command, calls } = smallServer([toolNamed('act')]);
    const rules = [{ decision: 'allow', tool: 'mcp__small__*' }];
    const user = userWith({ ...OWN, mcp: { servers: { small: { command } } }, safety: { rules } }, script);
    const { results, result } = await runOf(user);
    expect(result.status).toBe('completed');
    expect(results).toMatchObject([{ ok: true }]);
    expect(calls()).toEqual(['act {"n":1}']);
    expect(fs.statSync(path.join(user.home, 'mcp-tools.json')).mode & 0o777).toBe(0o600);
  });

  test('ask again after a tool has changed, although a rule allows it', async () => {
    const { command, calls, become } = smallServer([toolNamed('act')]);
    const safety = { rules: [{ decision: 'allow', tool: 'mcp__small__*' }], approver: 'deny' };
    const user = userWith({ ...OWN, mcp: { servers: { small: { command } } }, safety }, script);
    expect((await runOf(user)).results).toMatchObject([{ ok: true }]);
    become([toolNamed('act', { description: 'Does something else.' })]);
    expect((await runOf(user)).results).toMatchObject([{ error_kind: 'denied' }]);
    expect(calls().length).toBe(1);
  });

  test('have the tools that are enabled', async () => {
    const { command } = smallServer(['act', 'other', 'third'].map((name) => toolNamed(name)));
    const tools = { enabled: ['list_dir', 'mcp__*'], disabled: ['mcp__*__other'] };
    const servers = { small: { command, tools: ['act', 'other'] } };
    const { events } = await runOf(userWith({ ...OWN, mcp: { servers }, tools, safety: { tool: 'allow' } }, script));
    expect(dataOf(events, 'run_started')[0]!.tools.map(({ name }) => name)).toEqual(['list_dir', 'mcp__small__act']);
  });

  test('are not started if they are disabled, or if only an untrusted workspace names them', async () => {
    const disabled = smallServer([toolNamed('act')]);
    const theirs = smallServer([toolNamed('act')]);
    const own = { ...OWN, mcp: { servers: { small: { command: disabled.command, enabled: false } } } };
    const user = userWith(own, { ...script, ...yaml({ mcp: { servers: { theirs: { command: theirs.command } } } }) });
    const { results } = await runOf(user);
    expect(results).toMatchObject([{ error_kind: 'unknown_tool' }]);
    expect([...disabled.pids(), ...theirs.pids()]).toEqual([]);
    user.trust();
    const { events } = await runOf(user);
    expect(dataOf(events, 'run_started')[0]!.sources!.map(({ name }) => name)).toEqual(['mcp:theirs']);
    expect(theirs.pids().length).toBe(1);
  });
});
