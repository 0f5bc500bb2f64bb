import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ownIdentity } from '../../../src/files/index.ts';
import { supervise } from '../../../src/runs/attempt/supervise.ts';
import { FIRST_ATTEMPT } from '../../../src/runs/request/attempt-order.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { openService, whenEnded } from '../service/open-service.ts';
import { skilled } from '../skills/skilled.ts';
import { BAD, COUNT_SKILL, GOOD } from './count-skill.ts';

const BASE_URL = 'http://127.0.0.1:9';
const input = { turns: [{ say: BAD }, { say: GOOD }] };

test('the server takes over the repair turn of a command that died before it, and of no other', async () => {
  const { take, context, root } = skilled({ count: COUNT_SKILL });
  const env = fakeEngine('codex', 'codex-result.mjs');
  context.env.PATH = env.PATH;
  const request = await take({ base_url: BASE_URL, skill: 'count', input });
  const order = { ...FIRST_ATTEMPT, exclusive: false, repairsHere: true };
  const { runId, status } = await supervise({ request, order }, context, {});
  expect(status).toBe('queued');
  const file = path.join(root, 'private', `${runId}.next.json`);
  const pending = JSON.parse(fs.readFileSync(file, 'utf8')) as { order: { repair: object } };
  expect(pending.order.repair).toEqual({ owner: ownIdentity() });
  const { director } = await openService({ home: root, env });
  expect(director.stats()).toMatchObject({ queued: 0, running: 0 });
  expect((await director.get(runId)).status).toBe('queued');
  pending.order.repair = { owner: { ...ownIdentity(), start_time: '1' } };
  fs.writeFileSync(file, JSON.stringify(pending));
  expect(await whenEnded(director, runId)).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(fs.existsSync(file)).toBe(false);
});

test('a cancel before the repair turn ends the run, and the turn does not come', async () => {
  const { take, context, root } = skilled({ count: COUNT_SKILL });
  const env = fakeEngine('codex', 'codex-result.mjs');
  context.env.PATH = env.PATH;
  const request = await take({ base_url: BASE_URL, skill: 'count', input });
  const order = { ...FIRST_ATTEMPT, exclusive: false, repairsHere: true };
  const { runId } = await supervise({ request, order }, context, {});
  const { director } = await openService({ home: root, env });
  expect(await director.cancel(runId)).toMatchObject({ status: 'canceled', attempt: 1 });
  expect(fs.readdirSync(path.join(root, 'private'))).toEqual([]);
});

test('without a server, show and runs say what a run waits for whose command died before its repair turn', async () => {
  const { take, context, root } = skilled({ count: COUNT_SKILL });
  context.env.PATH = fakeEngine('codex', 'codex-result.mjs').PATH;
  const request = await take({ base_url: BASE_URL, skill: 'count', input });
  const order = { ...FIRST_ATTEMPT, exclusive: false, repairsHere: true };
  const { runId } = await supervise({ request, order }, context, {});
  const said = async (...words: string[]) =>
    (await tachoHere(words, { cwd: root, input: '', env: { TACHO_HOME: root, NO_COLOR: '1' } })).stdout;
  // The command is this process, and still there.
  expect(await said('runs')).toContain('queued (0) ');
  expect(await said('runs')).not.toContain('tacho start');
  expect(await said('show', runId)).not.toContain('tacho start');
  const file = path.join(root, 'private', `${runId}.next.json`);
  const pending = JSON.parse(fs.readFileSync(file, 'utf8')) as { order: { repair: object } };
  pending.order.repair = { owner: { ...ownIdentity(), start_time: '1' } };
  fs.writeFileSync(file, JSON.stringify(pending));
  expect(await said('runs')).toContain('queued (0), waits for tacho start ');
  expect(await said('show', runId)).toContain(
    `Waiting for its repair turn, which a server carries out: tacho start. To end it: tacho cancel ${runId.slice(-8)}`,
  );
});
