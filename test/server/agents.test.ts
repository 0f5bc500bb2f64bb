import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { AgentFacts } from '../../src/agent/facts/index.ts';
import { call, finish, say } from '../../src/agent/models/script.ts';
import { registerRun } from '../../src/agent/run/register.ts';
import type { AgentAnswer } from '../../src/client/index.ts';
import { createClient } from '../../src/client/index.ts';
import { runAgentCommand } from '../../src/server/agents/agent-command.ts';
import { builtinTools } from '../../src/tools/builtin/index.ts';
import { tool } from '../../src/tools/index.ts';
import { forgedRun } from '../agent/facts/read-facts.ts';
import { carryOut, type TestOptions, testAgent } from '../support/agent.ts';
import { tachoCommand, temporaryFolder } from '../support/tacho.ts';
import { makeRun } from './support/make-run.ts';
import { memoryDirector, someRun } from './support/memory-director.ts';
import { serve } from './support/serve.ts';

const SECRET = 'sesame-4711-open';
const WRITE = call('file_write', { path: 'a.txt', content: 'hello\n' });
const COMMAND = [process.execPath, tachoCommand];

/** A server with one run, which is that of an agent whose log is already there. */
async function served(options: Partial<TestOptions> = {}, changes = {}) {
  const parts = testAgent({
    script: [[say('Writing.'), WRITE, finish('tool_calls', { total_tokens: 10 })], say(`Done with ${SECRET}.`)],
    workspaceRoot: path.join(temporaryFolder(), 'work'),
    tools: builtinTools(),
    secrets: [{ name: 'TOKEN', value: SECRET }],
    ...options,
  });
  const { workspaceRoot } = parts.options;
  fs.mkdirSync(workspaceRoot, { recursive: true });
  const { result, events } = await carryOut(parts, `Write, with ${SECRET}.`);
  const director = memoryDirector();
  const { ask, url, headersFor, context } = await serve({ director, command: COMMAND });
  const { folder } = await makeRun(context.home.root);
  const run = { run_id: folder.runId, engine: 'agent', cwd: workspaceRoot, session_id: result.run_id, ...changes };
  director.answer.get = someRun(run);
  const token = headersFor('admin').authorization!.replace('Bearer ', '');
  const client = createClient({ url, token });
  return { ...parts, ask, client, director, events, result, home: context.home.root, run: folder.runId, workspaceRoot };
}

const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => null,
    ({ code }: { code: string }) => code,
  );

test('answers what the log of an agent says, in pages, without a secret', async () => {
  const { client, ask, run, result, workspaceRoot, events } = await served();
  const agent: AgentAnswer = await client.agent(run);
  expect(agent).toMatchObject({
    run_id: result.run_id,
    workspace: workspaceRoot,
    status: 'completed',
    last_seq: events.length,
    total_steps: 2,
    steps: [
      { step: 1, calls: [{ name: 'file_write', ok: true, files: 1 }] },
      { step: 2, calls: [] },
    ],
  });
  expect(await client.agent(run, { after_step: 1 })).toMatchObject({ steps: [{ step: 2 }], next_step: null });
  expect(await client.agent(run, { limit: 1 })).toMatchObject({ steps: [{ step: 1 }], next_step: 1 });
  const prompt = await client.agentPrompt(run, { step: 2 });
  expect(prompt.messages.map(({ role, pieces }) => [role, pieces[0]!.source])).toEqual([
    ['system', 'template:coding'],
    ['user', 'task'],
    ['assistant', 'step:1'],
    ['tool', 'tools:1'],
  ]);
  for (const address of ['agent', 'agent/prompt', 'agent/prompt?step=1']) {
    const { status, text } = await ask(`/v1/runs/${run}/${address}`);
    expect(status).toBe(200);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('"exact"');
  }
});

test('a run of another engine, or without a log, has none', async () => {
  const other = await served({}, { engine: 'codex' });
  expect(await codeOf(other.client.agent(other.run))).toBe('NOT_FOUND');
  const early = await served({}, { session_id: null });
  expect(await codeOf(early.client.agent(early.run))).toBe('NOT_FOUND');
  const lost = await served({}, { cwd: temporaryFolder() });
  expect(await codeOf(lost.client.agent(lost.run))).toBe('RUN_NOT_FOUND');
  expect(await codeOf(lost.client.replayAgent(lost.run))).toBe('RUN_NOT_FOUND');
  const outside = await served({}, { session_id: '../../../etc' });
  expect(await codeOf(outside.client.agent(outside.run))).toBe('INVALID_PARAMS');
  const { client, run } = await served();
  expect(await codeOf(client.agent(run, { agent: 'run-of-someone-else' }))).toBe('RUN_NOT_FOUND');
  expect(await codeOf(client.agent(run, { agent: '../x' }))).toBe('INVALID_REQUEST');
  expect(await codeOf(client.agentPrompt(run, { step: 99 }))).toBe('NOT_FOUND');
});

test('a damaged log is named in the answer', async () => {
  const { client, run, result } = await served();
  const lines = fs.readFileSync(result.wal_locator, 'utf8').split('\n');
  fs.writeFileSync(result.wal_locator, [...lines.slice(0, 4), 'x', ...lines.slice(5)].join('\n'));
  expect(await client.agent(run)).toMatchObject({ last_seq: 4, problems: [{ line: 5 }] });
  expect(await codeOf(client.replayAgent(run))).toBe('JOURNAL_DAMAGED');
});

test('replays a log by a process of its own', async () => {
  const { client, run, events, result } = await served();
  expect(await client.replayAgent(run)).toEqual({
    run_id: result.run_id,
    identical: true,
    events: events.length,
    divergence: null,
    missing_tools: [],
  });
});

test('shows where a replay differs', async () => {
  const { client, run, result } = await served({
    script: [call('look', {}), say('Done.')],
    tools: [
      ...builtinTools({ names: ['read_file'] }),
      tool({
        name: 'look',
        description: 'Looks.',
        input: { type: 'object' },
        execute: () => 'seen',
      }),
    ],
  });
  const replay = await client.replayAgent(run);
  expect(replay).toMatchObject({
    run_id: result.run_id,
    identical: false,
    missing_tools: ['look'],
    divergence: { seq: expect.any(Number), path: expect.any(String), message: expect.stringContaining('event ') },
  });
});

test('forks at an event into a folder of its own, which the run then lists', async () => {
  const { client, ask, run, result, workspaceRoot, events, home } = await served();
  const at = events.find(({ type }) => type === 'tool_call_requested')!.seq;
  const beside = await client.forkAgent(run, { at, message: 'Write b.txt instead.' });
  expect(path.dirname(beside.workspace)).toBe(path.dirname(fs.realpathSync(workspaceRoot)));
  expect(fs.existsSync(path.join(beside.workspace, 'a.txt'))).toBe(false);
  expect(beside).toMatchObject({
    run: null,
    not_restored: [],
    command: ['tacho', 'agent', 'resume', '-C', beside.workspace, beside.run_id],
  });
  const log = fs.readFileSync(beside.locator, 'utf8');
  expect(log).toContain('Write b.txt instead.');
  const into = path.join(temporaryFolder(), 'new');
  const chosen = await client.forkAgent(run, { at: events.length, into });
  expect(chosen.workspace).toBe(fs.realpathSync(into));
  expect(fs.readFileSync(path.join(into, 'a.txt'), 'utf8')).toBe('hello\n');

  const { forks } = await client.agent(run);
  expect(forks.toSorted((one, other) => one.seq - other.seq)).toEqual([
    { run_id: beside.run_id, seq: at, workspace: beside.workspace },
    { run_id: chosen.run_id, seq: events.length, workspace: chosen.workspace },
  ]);
  const facts = await new AgentFacts().read(
    { workspace: beside.workspace, run_id: beside.run_id },
    { afterStep: 0, limit: 1 },
    [],
  );
  expect(facts.forked_from).toMatchObject({ run_id: result.run_id, seq: at });

  expect(await codeOf(client.forkAgent(run, { at: 999 }))).toBe('USAGE');
  expect(await codeOf(client.forkAgent(run, { at, into: workspaceRoot }))).toBe('USAGE');
  expect(await codeOf(client.forkAgent(run, { at, into: 'relative' }))).toBe('INVALID_REQUEST');
  expect((await ask(`/v1/runs/${run}/agent/fork`, { method: 'POST', body: { at }, scope: 'reply' })).status).toBe(403);
  expect(fs.readdirSync(path.join(home, 'agents'))).toHaveLength(2);
});

test('a log that takes too long or too much memory ends its own process only', async () => {
  const dataFolder = temporaryFolder();
  const environment = { ...process.env };
  const program = (code: string) => ['-e', code, '--'];
  const run = (code: string, more = {}) =>
    runAgentCommand([], {
      command: [process.execPath, ...program(code)],
      dataFolder,
      environment,
      signal: new AbortController().signal,
      ...more,
    });
  expect(await codeOf(run('setInterval(() => {}, 1000)', { timeoutMs: 300 }))).toBe('COMMAND_TIMEOUT');
  const greedy = 'const all = []; for (;;) all.push(new Array(1e5).fill(0).map((_, i) => ({ i })));';
  expect(await codeOf(run(greedy, { maxHeapMb: 32 }))).toBe('RESOURCE_PRESSURE');
  expect(await codeOf(run('process.stdout.write("x".repeat(9e6)); setInterval(() => {}, 1000)'))).toBe(
    'RESOURCE_PRESSURE',
  );
  const leaving = new AbortController();
  const waiting = run('setInterval(() => {}, 1000)', { signal: leaving.signal });
  leaving.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});

test('a registration of a log elsewhere, or of none, leads nowhere', async () => {
  const { client, run, home } = await served();
  const forged = forgedRun('forged', [{ type: 'run_waiting', data: {} }]);
  registerRun(home, { ...forged, locator: '/etc/passwd' });
  fs.writeFileSync(path.join(home, 'agents', 'nonsense.json'), '{"format": 7}');
  fs.mkdirSync(path.join(home, 'agents', 'folder.json'));
  expect((await client.agent(run)).forks).toEqual([]);
});
