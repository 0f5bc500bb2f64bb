import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ownIdentity } from '../../../src/files/index.ts';
import { supervise } from '../../../src/runs/attempt/supervise.ts';
import { FIRST_ATTEMPT } from '../../../src/runs/request/attempt-order.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
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
