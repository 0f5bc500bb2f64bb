import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedService, whenResting } from '../../support/service.ts';
import { tachoCommand, temporaryFolder } from '../../support/tacho.ts';

const service = sharedService();
const call = (name: string, args: object) => ({ type: 'call', name, arguments: args });
const TURNS = [call('file_write', { path: 'a.txt', content: 'a\n' }), 'Written.', 'Written again.'];

/** Every agent of these tests follows one script, and asks before it writes. */
beforeAll(() => {
  const script = path.join(service.home, 'script.json');
  fs.writeFileSync(script, JSON.stringify(TURNS));
  const settings = { llm: { provider: 'scripted' }, models: { executor: script }, sandbox: { profile: 'none' } };
  fs.writeFileSync(path.join(service.home, 'config.yaml'), JSON.stringify(settings));
});

function newWorkspace(): string {
  return fs.realpathSync(fs.mkdtempSync(path.join(temporaryFolder(), 'work-')));
}

function tacho(cwd: string, ...args: string[]) {
  return spawnSync(tachoCommand, args, {
    cwd,
    env: { ...process.env, TACHO_HOME: service.home, NO_COLOR: '1' },
    encoding: 'utf8',
  });
}

/** Which run the watch has found for a log, and the version of the log that it has read. */
function readTo(locator: string): object | undefined {
  const folder = path.join(service.home, 'sessions/agent');
  const entries = fs.readdirSync(folder).map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')));
  return entries.find((entry) => entry.path === locator);
}

const runsOf = async (workspace: string) =>
  (await service.client.listRuns({ engine: 'agent' })).runs.filter(({ cwd }) => cwd === workspace);

test('a run of the engine that a person continues with tacho agent stays one run', async () => {
  const workspace = newWorkspace();
  const { run_id } = await service.client.createRun({
    engine: 'agent',
    prompt: 'Write it.',
    mode: 'interactive',
    cwd: workspace,
    engine_args: ['--approval-wait=0'],
  });
  expect((await whenResting(service.client, run_id)).status).toBe('waiting_user');
  const { session_id } = await service.client.getRun(run_id);
  // No one approves, so the call is denied, and the agent goes on.
  const resumed = tacho(workspace, 'agent', 'resume', session_id!, '--approve', 'deny');
  expect(resumed.stdout).toBe('Written.\n');
  await expect.poll(async () => (await service.client.getRun(run_id)).status).toBe('succeeded');
  expect(await runsOf(workspace)).toMatchObject([{ run_id, attempt: 2, session_id }]);
  const { events } = await service.client.conversation(run_id, { limit: 1000 });
  const texts = events.flatMap(({ type, data }) =>
    type === 'assistant.message.final' ? [(data as { text: string }).text] : [],
  );
  expect(texts).toEqual(['Written.']);
});

test('a fork that the server continues is one run of the engine, and its own log', async () => {
  const workspace = newWorkspace();
  const { client } = service;
  expect(tacho(workspace, 'agent', '--approve', 'deny', 'Write it.').stdout).toBe('Written.\n');
  await expect.poll(() => runsOf(workspace)).toMatchObject([{ status: 'succeeded' }]);
  const [run] = await runsOf(workspace);
  const { steps } = await client.agent(run!.run_id);
  const into = path.join(path.dirname(workspace), 'fork');
  const fork = await client.forkAgent(run!.run_id, {
    at: steps[1]!.first_seq - 1,
    message: 'Try again.',
    into,
    resume: true,
  });
  const continued = await whenResting(client, fork.run!);
  expect(continued).toMatchObject({ engine: 'agent', status: 'succeeded', session_id: fork.run_id, cwd: into });
  const facts = await client.agent(fork.run!);
  expect(facts).toMatchObject({ run_id: fork.run_id, forked_from: { run_id: run!.session_id }, resumed: 1 });
  expect((await client.agentPrompt(fork.run!)).messages.at(-1)!.parts[0]!.text).toBe('Try again.');
  expect(await client.agent(run!.run_id)).toMatchObject({ forks: [{ run_id: fork.run_id, workspace: into }] });
  // The watch of registered runs has read the log to its end, and has nothing to add.
  await expect.poll(() => readTo(fork.locator)).toMatchObject({ run_id: fork.run, stamp: expect.any(String) });
  expect(await runsOf(into)).toMatchObject([{ run_id: fork.run, attempt: 1 }]);
});

test('runs of tacho agent are shown while they wait, and can be decided over HTTP', async () => {
  const workspace = newWorkspace();
  const waiting = tacho(workspace, 'agent', 'Write it.');
  expect(waiting.status).toBe(10);
  await expect.poll(() => runsOf(workspace)).toMatchObject([{ status: 'waiting_user' }]);
  const [run] = await runsOf(workspace);
  const approvals = await service.client.approvals({ status: 'pending' });
  const approval = approvals.find(({ run_id }) => run_id === run!.run_id);
  expect(approval).toMatchObject({ summary: expect.stringContaining('a.txt') });
  await service.client.decide(approval!.approval_id, { decision: 'approved' });
  expect(await service.client.agent(run!.run_id)).toMatchObject({
    status: 'waiting',
    approvals: [{ decision: 'approved' }],
  });
  expect(tacho(workspace, 'agent', 'resume', run!.session_id!).stdout).toBe('Written.\n');
  await expect.poll(() => runsOf(workspace)).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  expect(fs.readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('a\n');
});
