import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bareContainer } from '../acceptance/runtime/bare-container.ts';
import { aloneInFolder, buildSingleFile, type StandaloneTacho } from '../acceptance/runtime/single-file.ts';
import { temporaryFolder } from '../support/tacho.ts';

beforeAll(buildSingleFile, 180_000);

const PLACES: { place: string; settle: () => StandaloneTacho }[] = [
  { place: 'a folder without Node on PATH', settle: aloneInFolder },
  { place: 'an empty container', settle: bareContainer },
];

describe.each(PLACES)('the single file, copied alone into $place', ({ settle }) => {
  test('`tacho doctor` finds everything it needs', async () => {
    const { stdout, code } = await settle().tacho(['doctor', '--json']);
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: { name: string; ok: boolean }[] };
    expect({ ok, code }).toEqual({ ok: true, code: 0 });
    expect(checks.filter((check) => check.ok).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['split capture', 'merged capture', 'orphaned processes', 'seal key']),
    );
  });

  test('`tacho run -- …` records, and the record verifies', async () => {
    const { tacho } = settle();
    const ran = await tacho(['run', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(ran).toMatchObject({ code: 3, stdout: 'out\n' });
    expect(await tacho(['raw', 'last', '--stream', 'stderr'])).toMatchObject({ code: 0, stdout: 'err\n' });
    expect((await tacho(['verify', 'last', '--json'])).code).toBe(0);
  });

  test('the demo agent works', async () => {
    const { tacho } = settle();
    const ran = await tacho(['run', '--json', 'demo', '--', 'fail']);
    expect(JSON.parse(ran.stdout.trim().split('\n').at(-1)!)).toMatchObject({ attempt: 1, status: 'failed' });
    expect((await tacho(['show', 'last'])).stdout).toContain('demo');
  });

  test('`tacho start` serves the page and starts runs with its own supervisor', async () => {
    const { tacho, serve } = settle();
    const get = await serve();
    const page = await get('/');
    expect(page).toContain('<title>Tachograph Studio</title>');
    const script = /\/assets\/[^"]+\.js/.exec(page)![0];
    expect((await get(script)).length).toBeGreaterThan(100_000);
    expect((await tacho(['run', '--queue', '--', 'sh', '-c', 'echo "$PPID"; exit 7'])).code).toBe(7);
    expect(await get('/v1/runs')).toContain('"exit_code":7');
    expect((await tacho(['raw', 'last'])).stdout).toMatch(/^\d+\n$/);
  });

  test('`tacho runtime --stdio` runs commands', async () => {
    const params = { argv: ['/bin/sh', '-c', 'echo $((6 * 7)); exit 5'] };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'exec.run', params });
    const answer = JSON.parse(await settle().ask(['runtime', '--stdio'], request)) as object;
    expect(answer).toMatchObject({ id: 1, result: { exit_code: 5, stdout: { data: '42\n' } } });
  });

  test('`tacho runtime --stdio` runs child agents with its own program', async () => {
    // There is no model at this address; the agent begins, and is closed with the streams.
    const llm = { provider: 'openai_compatible', base_url: 'http://127.0.0.1:1/v1' };
    const settings = { llm, models: { executor: 'none' } };
    const params = { task: 'Begin.', agent_id: 'run-a', setup: { session: [{ name: 'test', settings }] } };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent.spawn', params });
    const answer = JSON.parse(await settle().ask(['runtime', '--stdio'], request)) as object;
    expect(answer).toMatchObject({ id: 1, result: { agent_id: 'run-a', status: 'running' } });
  });
});

test('`tacho --version` unpacks nothing; eight concurrent first starts unpack one private folder', async () => {
  const { tacho, cache } = aloneInFolder();
  expect(await tacho(['--version'])).toMatchObject({ code: 0, stderr: '' });
  expect(fs.existsSync(cache)).toBe(false);
  const starts = await Promise.all(Array.from({ length: 8 }, () => tacho(['run', '--', 'true'])));
  expect(starts.map(({ code }) => code)).toEqual(Array(8).fill(0));
  const [folder, ...others] = fs.readdirSync(path.join(cache, 'tacho'));
  expect(others).toEqual([]);
  for (const made of [path.join(cache, 'tacho'), path.join(cache, 'tacho', folder!)]) {
    expect(fs.statSync(made).mode & 0o777, made).toBe(0o700);
  }
});

test('it starts although unpacked files were deleted or the home is not writable', async () => {
  const { tacho, cache } = aloneInFolder();
  await tacho(['run', '--', 'true']);
  const native = fs
    .readdirSync(cache, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.node'))
    .map((name) => path.join(cache, name));
  expect(native.length).toBe(2);
  fs.truncateSync(native[0]!, 10);
  fs.rmSync(native[1]!);
  expect((await tacho(['run', '--', 'true'])).code).toBe(0);
  const temporary = temporaryFolder();
  const env = { XDG_CACHE_HOME: '/proc/no-such-folder', TMPDIR: temporary };
  expect((await tacho(['run', '--', 'true'], env)).code).toBe(0);
  expect(fs.readdirSync(temporary)).toContain(`tacho-${process.getuid!()}`);
});
