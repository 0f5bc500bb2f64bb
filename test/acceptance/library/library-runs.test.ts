import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { secretForms } from '../../../src/agent/wal/redaction/secret-forms.ts';
import type { Client } from '../../../src/client/index.ts';
import { sharedService } from '../../support/service.ts';
import { tachoCommand } from '../../support/tacho.ts';
import { SECRET, shownRun, startOwnProgram } from './own-program.ts';

const service = sharedService();

async function textsOf(client: Client, run: string): Promise<string[]> {
  const { events } = await client.conversation(run, { limit: 1000 });
  return events.flatMap(({ type, data }) =>
    type === 'user.message' || type === 'assistant.message.final' ? [(data as { text: string }).text] : [],
  );
}

const statusOf = async (run: string) => (await service.client.getRun(run)).status;
const pendingOf = async (run: string) =>
  (await service.client.approvals({ status: 'pending' })).filter(({ run_id }) => run_id === run);

test('a run in a program of the user is followed live, decided from outside, and ends with its real status', async () => {
  const { client } = service;
  const program = await startOwnProgram(service.home);
  const { run_id: run } = await shownRun(client, program);
  await expect.poll(() => textsOf(client, run)).toHaveLength(1);
  expect(await client.agent(run)).toMatchObject({ run_id: program.runId, status: 'running', held: true });

  program.allow(2);
  await expect.poll(() => statusOf(run)).toBe('waiting_approval');
  const [approval] = await pendingOf(run);
  expect(approval).toMatchObject({
    approval_id: `${program.runId}.a1`,
    summary: expect.stringContaining('notes.txt'),
    details: { agent: { run_id: program.runId, workspace: program.workspace } },
  });
  expect(await client.agent(run)).toMatchObject({
    status: 'waiting',
    plan: { items: [{ step: 'Look' }, { step: 'Write' }] },
  });
  expect(await client.decide(approval!.approval_id, { decision: 'approved' })).toMatchObject({ status: 'approved' });
  await expect.poll(() => fs.existsSync(path.join(program.workspace, 'notes.txt'))).toBe(true);

  program.allow(3);
  await expect.poll(() => pendingOf(run)).toHaveLength(1);
  // Another process of the same user decides as well as the server.
  const decided = spawnSync(
    tachoCommand,
    ['agent', 'decide', '-C', program.workspace, `${program.runId}.a2`, 'deny', '--reason', 'enough'],
    { env: { ...process.env, TACHO_HOME: service.home }, encoding: 'utf8' },
  );
  expect(decided.status).toBe(0);
  program.allow(9);
  expect(await program.ended).toEqual({ status: 'completed' });
  await expect.poll(() => statusOf(run)).toBe('succeeded');
  expect(await pendingOf(run)).toEqual([]);
  const { approvals, steps } = await client.agent(run);
  expect(approvals.map(({ decision, decided_reason }) => [decision, decided_reason])).toEqual([
    ['approved', null],
    ['denied', 'enough'],
  ]);
  expect(steps.map(({ calls }) => calls.map(({ name, ok }) => `${name} ${ok}`))).toEqual([
    ['update_plan true', 'look true'],
    ['file_write true'],
    ['file_write false'],
    [],
  ]);
  await expect.poll(async () => (await client.verify(run)).verdict).toBe('intact');
});

test('a run is listed once, over a server that is killed and a program that is killed, and loses nothing', async () => {
  const program = await startOwnProgram(service.home);
  const { run_id: run } = await shownRun(service.client, program);
  program.allow(1);
  await expect.poll(() => textsOf(service.client, run)).toHaveLength(2);
  await service.kill();
  // Meanwhile it asks, and no one is there.
  program.allow(2);
  await expect.poll(() => fs.existsSync(path.join(path.dirname(program.locator), 'approvals'))).toBe(true);
  await service.again();
  await expect.poll(() => pendingOf(run)).toHaveLength(1);
  await program.kill();
  await service.client.decide(`${program.runId}.a1`, { decision: 'approved' });
  // Nothing continues it but its own program.
  expect(['waiting_user', 'waiting_approval']).toContain(await statusOf(run));
  const again = await program.resume();
  again.allow(3);
  await expect.poll(() => pendingOf(run)).toHaveLength(1);
  await service.client.decide(`${program.runId}.a2`, { decision: 'approved' });
  again.allow(9);
  expect(await again.ended).toEqual({ status: 'completed' });
  await expect.poll(() => statusOf(run)).toBe('succeeded');
  expect((await shownRun(service.client, program)).run_id).toBe(run);
  expect(await textsOf(service.client, run)).toEqual([
    'Write notes with [secret TOKEN].',
    'I begin, and keep [secret TOKEN] to myself.',
    'All is written.',
  ]);
  expect(fs.readFileSync(path.join(program.workspace, 'more.txt'), 'utf8')).toBe('more\n');
});

test('a secret of the program is in no answer and in no record of the server', async () => {
  const { client, url, token } = service;
  const program = await startOwnProgram(service.home);
  const { run_id: run } = await shownRun(client, program);
  program.allow(9);
  for (const id of [1, 2]) {
    await expect.poll(() => pendingOf(run)).toHaveLength(1);
    await client.decide(`${program.runId}.a${id}`, { decision: 'approved' });
  }
  await program.ended;
  await expect.poll(() => statusOf(run)).toBe('succeeded');
  const forms = secretForms(SECRET);
  const shows = (text: string) => forms.filter((form) => text.includes(form));
  const answers = [
    '/v1/approvals',
    '/v1/runs',
    `/v1/runs/${run}`,
    ...[
      'agent',
      'agent/prompt',
      'agent/prompt?step=1',
      'events?limit=1000',
      'conversation?limit=1000',
      'transcript',
    ].map((name) => `/v1/runs/${run}/${name}`),
    `/v1/runs/${run}/raw/stdout.1`,
  ];
  for (const address of answers) {
    const response = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    expect(response.status, address).toBe(200);
    expect(text.length, address).toBeGreaterThan(20);
    expect(shows(text), address).toEqual([]);
  }
  // The server does not know the secret; the replay takes it from the vault, and shows none of it.
  const replay = await client.replayAgent(run);
  expect(replay).toMatchObject({ identical: false, missing_tools: ['look'] });
  expect(shows(JSON.stringify(replay))).toEqual([]);
  const folder = path.join(service.home, 'runs', run);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    expect(shows(fs.readFileSync(file, 'utf8')), file).toEqual([]);
  }
});

test('the policy can be tested against a library run, by the handle of the run that shows it', async () => {
  const program = await startOwnProgram(service.home);
  const { run_id: run, handle } = await shownRun(service.client, program);
  program.allow(9);
  await expect.poll(() => pendingOf(run)).toHaveLength(1);
  await service.client.decide(`${program.runId}.a1`, { decision: 'denied' });
  await expect.poll(() => pendingOf(run)).toHaveLength(1);
  await service.client.decide(`${program.runId}.a2`, { decision: 'denied' });
  await program.ended;
  const draft = path.join(path.dirname(program.workspace), 'draft.yaml');
  fs.writeFileSync(draft, 'safety:\n  write: allow\n  rules:\n    - { decision: deny, path: more.txt }\n');
  const test = (...more: string[]) =>
    spawnSync(tachoCommand, ['policy', 'test', '--against', handle, '--json', '--data', service.home, ...more], {
      encoding: 'utf8',
    });
  const same = test();
  expect(same.status).toBe(0);
  expect(JSON.parse(same.stdout)).toMatchObject({
    run_id: program.runId,
    same: 3,
    changed: [],
    skipped: [{ tool: 'look' }],
  });
  const other = test('--policy', draft);
  expect(other.status).toBe(1);
  expect(JSON.parse(other.stdout).changed).toMatchObject([
    { tool: 'file_write', was: { decision: 'ask' }, now: { decision: 'allow' } },
    {
      tool: 'file_write',
      was: { decision: 'ask' },
      now: { decision: 'deny' },
      decided_by: { source: expect.stringContaining('draft.yaml:4:') },
    },
  ]);
});
