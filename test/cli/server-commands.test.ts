import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { takeLock } from '../../src/journal/file/lock.ts';
import { startService } from '../support/service.ts';
import { sandbox, tachoCommand, until } from '../support/tacho.ts';
import { startTerminal } from '../terminal/run-terminal.ts';

test('status, open and stop find the server; a live run keeps running after it stops', async () => {
  const box = sandbox();
  const service = await startService({ home: box.home });
  const { run_id, handle } = await service.client.createRun({ command: ['sh', '-c', 'echo up; sleep 300'] });
  await until(() => service.record(run_id).status === 'running');
  expect((await box.here(['status'])).stdout).toMatch(new RegExp(`server at ${service.url} .*\n[\\s\\S]*${handle}`));
  expect((await box.here(['ps'])).stdout).toContain(handle);
  // Without a terminal the token is not printed.
  expect(await box.here(['open', handle])).toMatchObject({ code: 0, stdout: `${service.url}/runs/${run_id}\n` });
  expect((await box.here(['rm', '--yes', handle])).stderr).toContain(`tacho cancel ${handle}`);
  expect((await box.here(['stop'])).stdout).toContain(`stopped the server at ${service.url}`);
  await expect.poll(() => service.process.exitCode).toBe(0);
  expect(JSON.parse((await box.here(['status', '--json'])).stdout)).toMatchObject({
    server: null,
    runs: [{ run_id, status: 'running' }],
  });
  expect((await box.here(['cancel', handle])).code).toBe(0);
});

test('rm asks at a terminal, and removes only after yes', async () => {
  const box = sandbox();
  await box.here(['run', 'echo', 'one']);
  const atTerminal = () =>
    startTerminal([process.execPath, tachoCommand, 'rm', 'last'], {
      mode: 'merged',
      echo: true,
      env: { PATH: process.env.PATH!, TERM: 'dumb', TACHO_HOME: box.home },
    });
  for (const [answer, said, left] of [
    ['n\r', 'Nothing was removed.', 1],
    ['\u0003', 'Nothing was removed.', 1],
    ['yes\r', 'removed ', 0],
  ] as const) {
    const asked = atTerminal();
    await asked.printed(/echo one[\s\S]*Remove 1 run .*\[y\/N\]/);
    await asked.terminal.write(Buffer.from(answer));
    await asked.printed(said);
    await asked.terminal.ended;
    expect(box.runIds()).toHaveLength(left);
  }
});

test('rm removes a run with an unreadable record only with --force, and never while it is recorded', async () => {
  const box = sandbox();
  const { run_id, run_dir } = await box.jsonHere(['run', '--', 'true']);
  const head = (await box.here(['ledger', 'head'])).stdout.trim();
  fs.writeFileSync(path.join(run_dir, '.run.json'), '{');
  expect(await box.here(['rm', '--yes', run_id])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/\[RUN_RECORD_CORRUPT\]\n.* tacho rm --force [0-9a-f]{8}\n/),
  });
  const lock = takeLock(path.join(run_dir, '.audit'), run_id);
  expect((await box.here(['rm', '--yes', '--force', run_id])).stderr).toContain('[RUN_LOCKED]');
  expect(box.runIds()).toEqual([run_id]);
  fs.closeSync(lock.fd);
  expect((await box.here(['rm', '--yes', '--force', run_id])).stdout).toContain('removed ');
  expect(box.runIds()).toEqual([]);
  expect(await box.here(['verify', '--since', head])).toMatchObject({ code: 0 });
  const { run_dir: bare } = await box.jsonHere(['run', '--', 'true']);
  for (const name of fs.readdirSync(bare)) fs.rmSync(path.join(bare, name), { recursive: true });
  expect((await box.here(['rm', '--yes', '--force', 'last'])).code).toBe(0);
  expect(box.runIds()).toEqual([]);
});

test('rm refuses a copy of a run outside of the data folder, and removes nothing when one run cannot be removed', async () => {
  const box = sandbox();
  const { run_id, run_dir } = await box.jsonHere(['run', '--', 'true']);
  const copy = path.join(box.home, 'copy', run_id);
  fs.cpSync(run_dir, copy, { recursive: true });
  expect((await box.here(['rm', '--yes', copy])).stderr).toContain('is not in');
  expect((await box.here(['rm', '--yes', 'last', 'nope'])).stderr).toContain('[RUN_NOT_FOUND]');
  expect(box.runIds()).toEqual([run_id]);
  expect(fs.existsSync(copy)).toBe(true);
  expect((await box.here(['rm', '--yes', 'last', run_id])).code).toBe(0);
  expect(box.runIds()).toEqual([]);
});
