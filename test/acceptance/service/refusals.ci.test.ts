import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { sharedService, whenResting } from '../../support/service.ts';
import { finished, sandbox, tachoCommand } from '../../support/tacho.ts';

const service = sharedService({ env: { TACHO_SERVICE_SLOTS: '1', TACHO_SERVICE_QUEUE_LIMIT: '1' } });

/** The error that `tacho run --queue` prints as JSON, and as text. */
async function refusedByCommand(home: string): Promise<{ json: unknown; text: string; code: number | null }> {
  const run = (...flags: string[]) => {
    const words = [tachoCommand, 'run', '--queue', ...flags, '--data', home, '--', 'true'];
    return finished(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] }));
  };
  const [json, text] = [await run('--json'), await run()];
  return { json: JSON.parse(json.stdout).error, text: text.stderr, code: text.code };
}

/** Limits the process to `count` more descriptors. */
function leaveFree(pid: number, count: number): void {
  const open = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let free = 0; free < count; limit++) if (!open.has(limit)) free++;
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}

test('a server without a free descriptor refuses a run with 503 and a remedy, and accepts it later', async () => {
  const { client, home, process: server } = service;
  await client.health();
  // Enough for the connection, but not for the run.
  leaveFree(server.pid!, 1);
  const refused = { code: 'RESOURCE_PRESSURE', fix: expect.stringContaining('Retry later') };
  const { json, text, code } = await refusedByCommand(home);
  expect(json).toMatchObject({ ...refused, details: { http_status: 503, retry_after_ms: expect.any(Number) } });
  expect({ code, text }).toEqual({ code: 1, text: expect.stringMatching(/\[RESOURCE_PRESSURE\]\n {2}Retry later/) });
  await expect(client.createRun({ command: ['true'] })).rejects.toMatchObject(refused);
  execFileSync('prlimit', ['--pid', String(server.pid), '--nofile=1024:']);
  const { run_id } = await client.createRun({ command: ['true'] });
  expect(await whenResting(client, run_id)).toMatchObject({ status: 'succeeded' });
});

test('a full queue refuses a run with a remedy', async () => {
  const { client, home } = service;
  const works = await client.createRun({ command: ['sleep', '396'] });
  await expect.poll(async () => (await client.getRun(works.run_id)).status).toBe('running');
  const waits = await client.createRun({ command: ['true'] });
  const { json, code } = await refusedByCommand(home);
  expect(json).toMatchObject({ code: 'QUEUE_FULL', fix: expect.stringContaining('Retry later') });
  expect(json).toMatchObject({ details: { http_status: 429, limit: 1 } });
  expect(code).toBe(1);
  await client.cancel(works.run_id);
  expect(await whenResting(client, waits.run_id)).toMatchObject({ status: 'succeeded' });
});

test('a file system without locks is refused with a remedy, and no files are left behind', async () => {
  const { home } = sandbox();
  const inject = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=flock', '-e', 'inject=flock:error=ENOLCK'];
  const words = [process.execPath, tachoCommand, 'run', '--scratch', '--json', '--data', home, '--', 'true'];
  const run = await finished(spawn('strace', [...inject, ...words], { stdio: ['ignore', 'pipe', 'pipe'] }));
  expect({ code: run.code, error: JSON.parse(run.stdout).error }).toMatchObject({
    code: 1,
    error: {
      code: 'DATA_FOLDER_UNWRITABLE',
      message: expect.stringContaining('cannot be locked (ENOLCK)'),
      fix: expect.stringContaining('flock'),
    },
  });
  expect([fs.readdirSync(`${home}/runs`), fs.readdirSync(`${home}/live`)]).toEqual([[], []]);
});

test('doctor names files in approvals/ that are not approvals, and needs no setsid on PATH', async () => {
  const { home, jsonHere } = sandbox();
  fs.mkdirSync(`${home}/approvals`, { recursive: true });
  fs.writeFileSync(`${home}/approvals/garbage.request.json`, '{"run_id":');
  const env = { PATH: `${home}/nothing` };
  const { checks } = await jsonHere<{ checks: { name: string; ok: boolean; detail: string }[] }>(['doctor'], { env });
  const found = checks.find(({ name }) => name === 'approvals');
  expect(found).toMatchObject({ ok: false, detail: expect.stringContaining('garbage.request.json') });
  expect(checks.find(({ name }) => name === 'orphaned processes')).toMatchObject({ ok: true });
});
