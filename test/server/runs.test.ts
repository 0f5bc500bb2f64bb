import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runPageSchema, runViewSchema, TachoError } from '../../src/protocol/index.ts';
import { proofSize } from '../support/proof-size.ts';
import { sandbox, temporaryFolder } from '../support/tacho.ts';
import { makeRun, statusDraft } from './support/make-run.ts';
import { memoryDirector, someRun } from './support/memory-director.ts';
import { dataOf, openStream, readWhole, seqsOf } from './support/read-stream.ts';
import { serve } from './support/serve.ts';

test('a client starts a run, follows it to its end, reads it and removes it', async () => {
  const served = await serve();
  const { ask } = served;
  const flag = path.join(temporaryFolder(), 'flag');
  const script = `echo hello; while [ ! -e '${flag}' ]; do sleep 0.05; done; exit 3`;
  const created = await ask('/v1/runs', { method: 'POST', body: { command: ['sh', '-c', script] } });
  expect(created.status).toBe(201);
  const run = runViewSchema.parse(created.json);
  expect(run).toMatchObject({ status: 'queued', engine: 'text' });
  expect(created.headers.location).toBe(`/v1/runs/${run.run_id}`);

  const early = await ask(`/v1/runs/${run.run_id}`, { method: 'DELETE' });
  expect(early).toMatchObject({ status: 409, json: { error: { code: 'RUN_ACTIVE' } } });
  fs.writeFileSync(flag, '');

  const frames = await readWhole(served, `/v1/runs/${run.run_id}/events/stream`);
  expect(dataOf(frames.at(-1))).toMatchObject({ reason: 'terminal' });
  const result = await ask(`/v1/runs/${run.handle}/result`);
  expect(result.json).toMatchObject({ run_id: run.run_id, status: 'failed', exit_code: 3, message: null });
  expect(runViewSchema.parse((await ask(`/v1/runs/${run.run_id}`)).json)).toMatchObject({
    status: 'failed',
    last: { exit_code: 3 },
  });
  const { runs, total } = runPageSchema.parse((await ask('/v1/runs')).json);
  expect({ total, runs: runs.map(({ run_id }) => run_id) }).toEqual({ total: 1, runs: [run.run_id] });

  expect((await ask(`/v1/runs/${run.run_id}`, { method: 'DELETE' })).status).toBe(204);
  for (const method of ['GET', 'DELETE']) {
    expect((await ask(`/v1/runs/${run.run_id}`, { method })).json).toMatchObject({ error: { code: 'RUN_NOT_FOUND' } });
  }
});

test('a request with an Idempotency-Key starts one run, however often it is sent', async () => {
  const { ask } = await serve();
  const start = (key: string, command: string[]) =>
    ask('/v1/runs', { method: 'POST', body: { command }, headers: { 'idempotency-key': key } });
  const answers = await Promise.all([start('k', ['true']), start('k', ['true']), start('k', ['true'])]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
  expect(await start('k', ['false'])).toMatchObject({ status: 409, json: { error: { code: 'IDEMPOTENCY_CONFLICT' } } });
  expect((await start('l', ['true'])).status).toBe(201);
  expect((await ask('/v1/runs')).json).toMatchObject({ total: 2 });
  for (const key of ['', 'k'.repeat(201)]) {
    expect(await start(key, ['true'])).toMatchObject({ status: 400, json: { error: { code: 'INVALID_REQUEST' } } });
  }
});

test('a run has ended for a client that has read its last event, even before its record is updated', async () => {
  const home = temporaryFolder();
  const run = await makeRun(home, 'running');
  const served = await serve({ home });
  const read = () => served.ask(`/v1/runs/${run.folder.runId}`);
  await run.append([statusDraft('running')]);
  expect((await read()).json).toMatchObject({ status: 'running' });
  const stream = await openStream(served, `/v1/runs/${run.folder.runId}/events/stream`);
  await run.append([statusDraft('succeeded')], { recorded: false });
  await stream.frame(({ data }) => data.includes('"status":"succeeded"'));
  expect((await read()).json).toMatchObject({ status: 'succeeded' });
});

test('a live run takes keys and a new size, and can be canceled', async () => {
  const served = await serve();
  const { ask } = served;
  const command = ['sh', '-c', 'read line; stty size; echo "got $line"; exec sleep 60'];
  const { run_id } = (await ask('/v1/runs', { method: 'POST', body: { command } })).json;
  const stream = await openStream(served, `/v1/runs/${run_id}/events/stream`);
  await stream.frame(({ data }) => data.includes('"status":"running"'));
  const act = (name: string, body?: unknown) => ask(`/v1/runs/${run_id}/${name}`, { method: 'POST', body });
  // The terminal is ready shortly after the record says so.
  while ((await act('resize', { cols: 91, rows: 17 })).status !== 204);
  expect((await act('input', { text: 'k\u00e9ys\n' })).status).toBe(204);
  await stream.frame(({ data }) => data.includes('17 91'));
  await stream.frame(({ data }) => data.includes('got k\u00e9ys'));
  expect((await act('input', { base64: Buffer.from('more').toString('base64') })).status).toBe(204);
  expect((await act('cancel')).status).toBe(200);
  await stream.ended;
  expect((await ask(`/v1/runs/${run_id}/result`)).json).toMatchObject({ status: 'canceled' });
  expect((await act('cancel')).json).toMatchObject({ status: 'canceled' });
  for (const [name, body] of [['input', { text: 'x' }] as const, ['resize', { cols: 1, rows: 1 }] as const]) {
    expect(await act(name, body)).toMatchObject({ status: 409, json: { error: { code: 'RUN_NOT_LIVE' } } });
  }
});

test('requests reach the director unchanged, and its answers the client', async () => {
  const director = memoryDirector();
  const box = sandbox();
  const { run_id } = await box.jsonHere(['run', '--', 'true']);
  const { ask } = await serve({ director, home: box.home });
  const reply = { interaction_id: 'q.1', text: 'yes', idempotency_key: 'k' };
  director.answer.reply = { run_id, interaction_id: 'q.1', attempt: 2, accepted_at: '2026-11-15T08:00:00.000Z' };
  const replied = await ask(`/v1/runs/${run_id.slice(-8)}/reply`, { method: 'POST', body: reply, scope: 'reply' });
  expect(replied).toMatchObject({ status: 200, json: director.answer.reply });

  director.answer.list = { runs: [someRun()], next_cursor: 'next', total: 7 };
  const query = '/v1/runs?status=running&engine=codex&q=blue%20bird&cursor=abc&limit=7';
  expect((await ask(query)).json).toEqual(director.answer.list);

  director.answer.approvals = [];
  expect((await ask('/v1/approvals?status=pending')).json).toEqual({ approvals: [] });
  director.answer.decide = { approval_id: 'a.1', status: 'denied' };
  const decision = { decision: 'approved', reason: 'why not' };
  const decided = await ask('/v1/approvals/a.1/decision', { method: 'POST', body: decision, scope: 'reply' });
  expect(decided).toMatchObject({ status: 200, json: { status: 'denied' } });

  expect(director.calls).toEqual([
    ['reply', run_id, reply],
    ['list', { status: 'running', engine: 'codex', q: 'blue bird', cursor: 'abc', limit: 7 }],
    ['approvals', { status: 'pending' }],
    ['decide', 'a.1', decision],
  ]);
});

test('"always" requires the scope admin, and a remembered decision reaches the director', async () => {
  const director = memoryDirector();
  const { ask } = await serve({ director, home: temporaryFolder() });
  director.answer.decide = { approval_id: 'a.1', status: 'approved' };
  const decide = (remember: string, scope: 'reply' | 'admin') =>
    ask('/v1/approvals/a.1/decision', { method: 'POST', body: { decision: 'approved', remember }, scope });
  expect(await decide('always', 'reply')).toMatchObject({ status: 403, json: { error: { code: 'FORBIDDEN' } } });
  expect(await decide('run', 'reply')).toMatchObject({ status: 200 });
  expect(await decide('always', 'admin')).toMatchObject({ status: 200 });
  expect(director.calls.map(([, , decision]) => decision)).toEqual([
    { decision: 'approved', remember: 'run' },
    { decision: 'approved', remember: 'always' },
  ]);
  const denied = { decision: 'denied', remember: 'run' };
  const refused = await ask('/v1/approvals/a.1/decision', { method: 'POST', body: denied });
  expect(refused).toMatchObject({ status: 400, json: { error: { code: 'INVALID_REQUEST' } } });
});

test('a late reply is refused with the reason', async () => {
  const director = memoryDirector();
  const home = temporaryFolder();
  const { folder } = await makeRun(home, 'running');
  const { ask } = await serve({ director, home });
  for (const code of ['REPLY_STALE', 'RUN_ENDED', 'IDEMPOTENCY_CONFLICT'] as const) {
    director.answer.reply = new TachoError(code, 'too late');
    const body = { interaction_id: 'q', text: 'yes' };
    expect(await ask(`/v1/runs/${folder.runId}/reply`, { method: 'POST', body })).toMatchObject({
      status: 409,
      json: { error: { code } },
    });
  }
});

test('the list of runs can be followed', async () => {
  const director = memoryDirector();
  const { run_id } = someRun();
  const served = await serve({ director });
  const stream = await openStream(served, '/v1/stream');
  await stream.frame(({ event }) => event === 'stream.opened');
  director.tell({ run: someRun({ status: 'queued', queue_position: 2 }) });
  director.tell({ run: someRun({ status: 'running' }) });
  director.tell({ removed: run_id });
  await stream.frame(({ event }) => event === 'run_removed');
  expect(stream.frames.map(({ event, id }) => [event, id])).toEqual([
    ['stream.opened', ''],
    ['run_changed', '1'],
    ['run_changed', '2'],
    ['run_removed', '3'],
  ]);
  expect(dataOf(stream.frames[0])).toEqual({ resume: 'reset', from_seq: 1, head_seq: 0 });
  expect(dataOf(stream.frames[1])).toEqual(someRun({ status: 'queued', queue_position: 2 }));
  expect(dataOf(stream.frames[3])).toEqual({ run_id });
});

test('followers of the list get runs removed by this server and by other processes', async () => {
  const box = sandbox();
  const [pruned, deleted] = [await box.jsonHere(['run', '--', 'true']), await box.jsonHere(['run', '--', 'true'])];
  const served = await serve({ home: box.home });
  const list = await openStream(served, '/v1/stream');
  const removal = (runId: string) => list.frame(({ event, data }) => event === 'run_removed' && data.includes(runId));
  await list.frame(({ event }) => event === 'stream.opened');
  expect((await served.ask(`/v1/runs/${deleted.run_id}`, { method: 'DELETE' })).status).toBe(204);
  await removal(deleted.run_id);
  await box.json(['prune', '--older-than', '1ms']);
  await removal(pruned.run_id);
  expect(list.frames.map(({ event }) => event)).toEqual(['stream.opened', 'run_removed', 'run_removed']);
  expect((await served.ask('/v1/runs')).json).toEqual({ runs: [], next_cursor: null, total: 0 });
});

test('a follower of the list that stops reading gets only the latest state of each run', async () => {
  const director = memoryDirector();
  const served = await serve({ director });
  const stream = await openStream(served, '/v1/stream', { paused: true });
  const rounds = proofSize({ small: 5000, full: 20_000 });
  for (let round = 1; round <= rounds; round++) {
    director.tell({
      run: someRun({ run_id: `20261115T080000-text-0000000${round % 5}`, head_seq: round, prompt: 'x'.repeat(1000) }),
    });
    // Yield, so that the sockets are flushed.
    if (round % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  stream.response.resume();
  await stream.frame(({ event, data }) => event === 'run_changed' && data.endsWith(`"head_seq":${rounds}}`));
  expect(stream.frames.length).toBeLessThan(rounds);
  const last = new Map(stream.frames.map((frame) => [dataOf(frame).run_id, dataOf(frame).head_seq]));
  for (let round = rounds - 4; round <= rounds; round++) {
    expect(last.get(`20261115T080000-text-0000000${round % 5}`)).toBe(round);
  }
  const seqs = seqsOf(stream.frames, 'run_changed');
  expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
});

test('engines are listed with their capabilities', async () => {
  const { ask } = await serve({ director: memoryDirector() });
  const { engines } = (await ask('/v1/engines')).json;
  expect(engines.map(({ name }: { name: string }) => name)).toContain('codex');
  expect(engines[0]).toMatchObject({ installed: expect.any(Boolean), capabilities: { resume: expect.any(Boolean) } });
});
