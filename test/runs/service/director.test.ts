import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { proofSize } from '../../support/proof-size.ts';
import { processesWith, until } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { eventsOf, input, openService, whenEnded } from './open-service.ts';

describe('the director', () => {
  test('queues a command, starts a supervisor for it and notices its end', async () => {
    const { director, home } = await openService();
    const created = await director.create(input({ command: ['sh', '-c', 'echo hello; exit 3'] }));
    expect(created).toMatchObject({ status: 'queued', engine: 'text' });
    const run = await whenEnded(director, created.run_id);
    expect(run).toMatchObject({ status: 'failed', attempt: 1, last: { exit_code: 3 } });
    const statuses = eventsOf(home, run.run_id)
      .filter(({ event }) => event.type === 'lifecycle.run.status')
      .map(({ data }) => (data as { status: string }).status);
    expect(statuses).toEqual(['queued', 'running', 'failed']);
  });

  test('starts no more concurrent runs than it has slots, by priority and then in order', async () => {
    const { director, home } = await openService({ slots: 1 });
    const log = path.join(home, 'order');
    const go = path.join(home, 'go');
    const make = (name: string, priority = 0) =>
      director.create(
        input({ command: ['sh', '-c', `until [ -e ${go} ]; do sleep 0.02; done; echo ${name} >> ${log}`], priority }),
      );
    const runs = [await make('first'), await make('second'), await make('urgent', 5), await make('third')];
    // The first run keeps the slot until all others wait.
    fs.writeFileSync(go, '');
    await Promise.all(runs.map(({ run_id }) => whenEnded(director, run_id)));
    expect(fs.readFileSync(log, 'utf8').trim().split('\n')).toEqual(['first', 'urgent', 'second', 'third']);
  });

  test('cancels a queued run and a running one, and an end is final', async () => {
    const { director } = await openService({ slots: 1 });
    const works = await director.create(input({ command: ['sleep', `317.${process.pid}`] }));
    const waits = await director.create(input({ command: ['echo', 'never'] }));
    expect(await director.cancel(waits.run_id)).toMatchObject({ status: 'canceled', attempt: 0 });
    await until(() => processesWith(`sleep\u0000317.${process.pid}`).length > 0);
    await director.cancel(works.run_id);
    expect(await whenEnded(director, works.run_id)).toMatchObject({
      status: 'canceled',
      last: { reason_code: 'CANCELED' },
    });
    expect(await director.cancel(works.run_id)).toMatchObject({ status: 'canceled' });
    expect(processesWith(`sleep\u0000317.${process.pid}`)).toEqual([]);
  });

  test('types into a live terminal', async () => {
    const { director, home } = await openService();
    const { run_id } = await director.create(input({ command: ['sh', '-c', 'read line; echo "got $line"'] }));
    await until(
      () =>
        (JSON.parse(fs.readFileSync(path.join(home, 'runs', run_id, '.run.json'), 'utf8')) as RunRecord).live?.child,
    );
    await director.resize(run_id, 90, 20);
    await director.input(run_id, Buffer.from('keys\n'));
    expect(await whenEnded(director, run_id)).toMatchObject({ status: 'succeeded' });
    expect(fs.readFileSync(path.join(home, 'runs', run_id, '.audit/stdout.1.log'), 'utf8')).toContain('got keys');
    await expect(director.input(run_id, Buffer.from('x'))).rejects.toMatchObject({ code: 'RUN_NOT_LIVE' });
  });

  test('a question survives a restart; one of two replies wins; the same key gets the same answer', async () => {
    const env = { ...fakeEngine('codex', 'codex-like.mjs') };
    let service = await openService({ env });
    const { run_id } = await service.director.create(input({ engine: 'codex', prompt: 'ask', mode: 'interactive' }));
    const waiting = await whenEnded(service.director, run_id);
    expect(waiting).toMatchObject({ status: 'waiting_user', question: { interaction_id: '1.1' } });
    service = await service.reopen();
    const { director, home } = service;
    const reply = (text: string, key?: string) =>
      director.reply(run_id, { interaction_id: '1.1', text, ...(key ? { idempotency_key: key } : {}) });
    await expect(director.reply(run_id, { interaction_id: '9.1', text: 'x' })).rejects.toMatchObject({
      code: 'REPLY_STALE',
    });
    const settled = await Promise.allSettled([reply('blue', 'k1'), reply('red', 'k2')]);
    const won = settled.filter(({ status }) => status === 'fulfilled');
    const lost = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(won).toHaveLength(1);
    expect(lost[0]!.reason).toMatchObject({ code: 'REPLY_STALE' });
    const [winner, key] = settled[0]!.status === 'fulfilled' ? ['blue', 'k1'] : ['red', 'k2'];
    expect(await reply(winner!, key)).toEqual((won[0] as PromiseFulfilledResult<unknown>).value);
    await expect(reply('other', key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await until(() =>
      eventsOf(home, run_id).some(
        ({ attempt_number, event }) => attempt_number === 2 && event.type === 'lifecycle.completion.state',
      ),
    );
    const replies = eventsOf(home, run_id).filter(({ event }) => event.type === 'interaction.reply.accepted');
    expect(replies.map(({ data }) => (data as { text: string }).text)).toEqual(['ask', winner]);
  });

  test('sends the auto-reply after its timeout, also after a restart', async () => {
    const env = { ...fakeEngine('codex', 'codex-like.mjs') };
    let service = await openService({ env });
    const auto_reply = { after_ms: 300, text: 'go on' };
    const { run_id } = await service.director.create(
      input({ engine: 'codex', prompt: 'ask', mode: 'interactive', auto_reply, limits: { max_attempts: 2 } }),
    );
    await whenEnded(service.director, run_id);
    service = await service.reopen();
    const second = () =>
      eventsOf(service.home, run_id).find(
        ({ event, data }) =>
          event.type === 'interaction.reply.accepted' && (data as { source: string }).source === 'reply',
      );
    expect((await until(second)).data).toMatchObject({ text: 'go on' });
    await until(() =>
      eventsOf(service.home, run_id).some(
        ({ attempt_number, event }) => attempt_number === 2 && event.type === 'lifecycle.completion.state',
      ),
    );
  });

  test('ends a run that exceeds its output limit or budget', async () => {
    const { director } = await openService({ env: { ...fakeEngine('codex', 'codex-like.mjs'), CODEX_LIKE: 'slow' } });
    const loud = await director.create(input({ command: ['yes'], limits: { output_bytes: 100_000 } }));
    expect(await whenEnded(director, loud.run_id)).toMatchObject({
      status: 'failed',
      last: { reason_code: 'OUTPUT_CAP' },
    });
  });

  test('a supervisor that is killed leaves a failed run with a complete record, and no orphan', async () => {
    const { director, home } = await openService();
    const { run_id } = await director.create(
      input({ command: ['sh', '-c', `echo begun; exec sleep 318.${process.pid}`] }),
    );
    const record = () => JSON.parse(fs.readFileSync(path.join(home, 'runs', run_id, '.run.json'), 'utf8')) as RunRecord;
    await until(
      () =>
        record().live?.child &&
        fs.readFileSync(path.join(home, 'runs', run_id, '.audit/stdout.1.log'), 'utf8').includes('begun'),
    );
    process.kill(record().live!.supervisor.pid, 'SIGKILL');
    expect(await whenEnded(director, run_id)).toMatchObject({
      status: 'failed',
      last: { reason_code: 'SUPERVISOR_LOST' },
    });
    expect(processesWith(`sleep\u0000318.${process.pid}`)).toEqual([]);
  });

  test('runs continue without the director, and the next one notices how they ended', async () => {
    const service = await openService();
    const { run_id } = await service.director.create(input({ command: ['sh', '-c', 'sleep 0.6; echo done'] }));
    await until(() => fs.existsSync(path.join(service.home, 'runs', run_id, '.audit/stdout.1.log')));
    const next = await service.reopen();
    expect(await whenEnded(next.director, run_id)).toMatchObject({ status: 'succeeded' });
  });

  test('an active run cannot be removed; a removed run leaves nothing behind', async () => {
    const { director, home } = await openService();
    const { run_id } = await director.create(input({ command: ['sleep', `319.${process.pid}`] }));
    await expect(director.remove(run_id)).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
    await until(() => processesWith(`sleep\u0000319.${process.pid}`).length > 0);
    await director.cancel(run_id);
    await whenEnded(director, run_id);
    await director.remove(run_id);
    expect(fs.existsSync(path.join(home, 'runs', run_id))).toBe(false);
  });
});

test('a secret of a run is in no file of its folder, and deleted when it has ended', async () => {
  const { director, home } = await openService({ env: { ...fakeEngine('codex', 'codex-like.mjs') } });
  const env = { MY_API_KEY: 'sk-very-secret-value' };
  const { run_id } = await director.create(input({ engine: 'codex', prompt: 'ask', mode: 'interactive', env }));
  await whenEnded(director, run_id);
  // Until then its recorder writes files under temporary names.
  await until(() => processesWith(`supervise\u0000${home}`).length === 0);
  const filesWith = (folder: string) =>
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => fs.readFileSync(file).includes(env.MY_API_KEY));
  expect(filesWith(path.join(home, 'runs', run_id))).toEqual([]);
  const [kept] = filesWith(path.join(home, 'private'));
  expect(fs.statSync(kept!).mode & 0o777).toBe(0o600);
  await director.cancel(run_id);
  expect(filesWith(home)).toEqual([]);
});

test('a run canceled at any moment ends as canceled, and leaves no process', {
  timeout: 120_000,
}, async () => {
  const { director, home } = await openService();
  const moments = proofSize({ small: 3, full: 12 });
  for (let n = 0; n < moments; n++) {
    const { run_id } = await director.create(input({ command: ['sleep', `322.${process.pid}`] }));
    // From before its supervisor starts to after its program has started.
    await new Promise((resolve) => setTimeout(resolve, (n * 420) / moments));
    await director.cancel(run_id);
    expect(await whenEnded(director, run_id)).toMatchObject({ status: 'canceled' });
  }
  await until(() => processesWith(`supervise\u0000${home}`).length === 0);
  expect(processesWith(`sleep\u0000322.${process.pid}`)).toEqual([]);
});

test('a run is listed with its first prompt', async () => {
  const { director, home } = await openService({ env: { ...fakeEngine('codex', 'codex-asks.mjs') } });
  const { run_id } = await director.create(input({ engine: 'codex', prompt: 'paint the door', mode: 'interactive' }));
  await whenEnded(director, run_id);
  await director.reply(run_id, { interaction_id: '1.1', text: 'blue' });
  const recordFile = path.join(home, 'runs', run_id, '.run.json');
  const record = () => JSON.parse(fs.readFileSync(recordFile, 'utf8')) as RunRecord;
  await until(() => record().status === 'succeeded');
  expect(record().request).toMatchObject({ engine: 'codex', prompt: 'paint the door', mode: 'interactive' });
  const env = process.env as Record<string, string>;
  const listed = () => tachoHere(['runs', '--data', home], { cwd: home, env, input: '' });
  expect(await director.get(run_id)).toMatchObject({ prompt: 'paint the door', attempt: 2 });
  expect((await director.list({ limit: 1 })).runs).toMatchObject([{ prompt: 'paint the door' }]);
  expect((await listed()).stdout).toContain('codex: paint the door');
});
