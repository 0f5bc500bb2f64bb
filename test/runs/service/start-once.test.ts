import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { KEY_LIFETIME_MS, type StartKey, StartKeys } from '../../../src/runs/service/start-keys.ts';
import { type StartActions, StartOnce } from '../../../src/runs/service/start-once.ts';
import { someRun } from '../../server/support/memory-director.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { input, openService, whenEnded } from './open-service.ts';

const keyFile = () => path.join(temporaryFolder(), 'start-keys.jsonl');
const entry = (key: string, changes: Partial<StartKey> = {}): StartKey => ({
  key,
  request: 'r',
  run_id: `run-${key}`,
  at: new Date().toISOString(),
  pending: false,
  ...changes,
});
const linesOf = (file: string) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).length;

describe('the file of start keys', () => {
  test('is private and read by the next server', () => {
    const file = keyFile();
    new StartKeys(file).put(entry('a', { pending: true }));
    new StartKeys(file).put(entry('a'));
    expect(new StartKeys(file).get('a')).toEqual(entry('a', { at: expect.any(String) as unknown as string }));
    expect(new StartKeys(file).get('b')).toBeNull();
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('forgets a key after 24 hours', () => {
    const file = keyFile();
    let now = Date.now();
    const keys = new StartKeys(file, { now: () => now });
    keys.put(entry('a', { at: new Date(now).toISOString() }));
    now += KEY_LIFETIME_MS - 1;
    expect(keys.get('a')).not.toBeNull();
    now += 1;
    expect(keys.get('a')).toBeNull();
    expect(new StartKeys(file, { now: () => now }).get('a')).toBeNull();
  });

  test('drops the oldest keys above the limit and does not grow without bound', () => {
    const file = keyFile();
    const keys = new StartKeys(file, { maxKeys: 3 });
    for (let number = 0; number < 20; number++) keys.put(entry(`${number}`));
    for (const read of [keys, new StartKeys(file, { maxKeys: 3 })]) {
      expect(read.get('19')).not.toBeNull();
      expect(read.get('17')).not.toBeNull();
    }
    expect(keys.get('16')).toBeNull();
    expect(linesOf(file)).toBeLessThanOrEqual(6);
  });

  test('survives a line truncated by a crash', () => {
    const file = keyFile();
    new StartKeys(file).put(entry('a'));
    fs.appendFileSync(file, '{"key":"b","requ');
    const keys = new StartKeys(file);
    expect(keys.get('b')).toBeNull();
    keys.put(entry('c'));
    const again = new StartKeys(file);
    expect([again.get('a')?.run_id, again.get('c')?.run_id]).toEqual(['run-a', 'run-c']);
  });
});

/** Runs in memory; `fail` makes the next start fail, before or after the run is on disk. */
function fakeStarts() {
  const runs = new Set<string>();
  let fail: 'before' | 'after' | null = null;
  const actions: StartActions = {
    async create(_input, announce) {
      const run_id = `run-${runs.size}`;
      const failing = fail;
      fail = null;
      announce(run_id);
      await Promise.resolve();
      if (failing === 'before') throw new Error('before');
      runs.add(run_id);
      if (failing === 'after') throw new Error('after');
      return someRun({ run_id });
    },
    exists: (runId) => runs.has(runId),
    get: async (runId) => {
      if (!runs.has(runId)) throw new Error('RUN_NOT_FOUND');
      return someRun({ run_id: runId });
    },
  };
  return { actions, runs, failNext: (when: 'before' | 'after') => (fail = when) };
}

describe('a run that is started with a key', () => {
  const request = input({ command: ['true'], env: { A: '1', B: '2' } });
  const reordered = input({ env: { B: '2', A: '1' }, command: ['true'] });

  test('is started once by concurrent requests; another request with the key is refused', async () => {
    const { actions, runs } = fakeStarts();
    const once = new StartOnce(new StartKeys(keyFile()), actions);
    const other = input({ command: ['false'] });
    const [first, second, third] = await Promise.allSettled([
      once.start('k', request),
      once.start('k', reordered),
      once.start('k', other),
    ]);
    expect(first).toMatchObject({ value: { run: { run_id: 'run-0' }, repeated: false } });
    expect(second).toMatchObject({ value: { run: { run_id: 'run-0' }, repeated: true } });
    expect(third).toMatchObject({ reason: { code: 'IDEMPOTENCY_CONFLICT' } });
    await expect(once.start('k', other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(await once.start('l', request)).toMatchObject({ run: { run_id: 'run-1' }, repeated: false });
    expect(runs.size).toBe(2);
  });

  test('can be started again with the key after a start without a run, and is found after a start with one', async () => {
    const { actions, runs, failNext } = fakeStarts();
    const file = keyFile();
    const start = (key: string) => new StartOnce(new StartKeys(file), actions).start(key, request);
    failNext('before');
    await expect(start('k')).rejects.toThrow('before');
    expect(await start('k')).toMatchObject({ repeated: false });
    failNext('after');
    await expect(start('l')).rejects.toThrow('after');
    expect(await start('l')).toMatchObject({ run: { run_id: 'run-1' }, repeated: true });
    expect(runs.size).toBe(2);
  });

  test('is not started a second time after it was removed', async () => {
    const { actions, runs } = fakeStarts();
    const once = new StartOnce(new StartKeys(keyFile()), actions);
    await once.start('k', request);
    runs.clear();
    await expect(once.start('k', request)).rejects.toThrow('RUN_NOT_FOUND');
    expect(runs.size).toBe(0);
  });

  test('is the same run for the next server, and as it is now', async () => {
    const service = await openService();
    const command = input({ command: ['true'] });
    const { run, repeated } = await service.director.createOnce('k', command);
    expect(repeated).toBe(false);
    await whenEnded(service.director, run.run_id);
    const { director } = await service.reopen();
    expect(await director.createOnce('k', command)).toMatchObject({
      run: { run_id: run.run_id, status: 'succeeded' },
      repeated: true,
    });
    await director.remove(run.run_id);
    await expect(director.createOnce('k', command)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
