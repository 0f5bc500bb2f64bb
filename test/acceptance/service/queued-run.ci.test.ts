import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunView } from '../../../src/protocol/index.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { finished, sandbox, tachoCommand, until } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { atTerminal } from '../../terminal/run-terminal.ts';

/** With one slot, for tests in which another run takes it. */
const service = sharedService({ env: { TACHO_SERVICE_SLOTS: '1' } });

function start(words: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [tachoCommand, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, TACHO_HOME: service.home, NO_COLOR: '1', ...env },
  });
}

function tacho(words: readonly string[], input = '') {
  const child = start(words);
  child.stdin.end(input);
  return finished(child);
}

/** Resolves with the id of the run whose program has started. */
async function started(seconds: number): Promise<string> {
  const isOurs = ({ command }: RunView) => command.join(' ').includes(`sleep ${seconds}`);
  let found: RunView | undefined;
  await expect
    .poll(async () => {
      found = (await service.client.listRuns({ status: 'running' })).runs.find(isOurs);
      return found && service.record(found.run_id).live?.child;
    })
    .toBeTruthy();
  return found!.run_id;
}

test('run --queue prints, reads and exits like run', async () => {
  const script = 'read line; echo "got $line"; cat; echo; echo err >&2; exit 3';
  const input = `ä line\n${'a'.repeat(5000)}`;
  const here = await tacho(['run', '--scratch', '--', 'sh', '-c', script], input);
  const queued = await tacho(['run', '--queue', '--', 'sh', '-c', script], input);
  // The last line contains the duration and the run's handle.
  const said = (text: string) => text.replace(/·[^·]*· tacho show .*/, '');
  expect(queued.stdout).toBe(`got ä line\n${'a'.repeat(5000)}\n`);
  expect([queued.code, queued.stdout, said(queued.stderr)]).toEqual([here.code, here.stdout, said(here.stderr)]);

  const chat = await tacho(['run', '--queue', '--mode', 'interactive', '--engine-arg=--pace=0', 'demo', '--', 'hello']);
  expect(chat.code, chat.stderr).toBe(10);
  expect(chat.stdout).toContain('› hello');
});

test('run --queue asks at the terminal, and the server continues with the answer', async () => {
  const words = ['run', '--queue', '--mode', 'interactive', '--engine-arg=--pace=0', 'demo', '--', 'hello'];
  const running = atTerminal([process.execPath, tachoCommand, ...words], service.home);
  await running.printed('Type your answer.');
  running.terminal.write(Buffer.from('All there is\r'));
  await running.printed('code 0');
  await running.terminal.ended;
  const text = running.output('a').toString();
  expect(text).toContain('✔ succeeded');
  expect(text.split('› hello')).toHaveLength(2);
});

test('run --detach prints the handle and leaves the run to the server', async () => {
  const { code, stdout } = await tacho(['run', '--detach', '--', 'sh', '-c', 'exit 3']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{8}\n$/) });
  expect(await whenResting(service.client, stdout.trim())).toMatchObject({ status: 'failed', last: { exit_code: 3 } });
  const words = ['run', '--detach', '--json', '--data', service.home, '--', 'true'];
  const answer = await tachoHere(words, { cwd: service.home, env: process.env as Record<string, string>, input: '' });
  expect(JSON.parse(answer.stdout)).toMatchObject({ run_id: expect.any(String), status: 'queued' });
});

test.each(['--queue', '--detach'])('run %s without a server names the remedy', async (flag) => {
  const { jsonHere } = sandbox();
  expect(await jsonHere(['run', flag, '--', 'true'])).toMatchObject({
    error: { code: 'SERVER_UNREACHABLE', fix: expect.stringContaining('tacho start') },
    finished: { code: 1 },
  });
});

test('Ctrl-C ends a queued run, and a second Ctrl-C kills it', async () => {
  const once = start(['run', '--queue', '--', 'sleep', '393']);
  const first = await started(393);
  once.kill('SIGINT');
  expect((await finished(once)).code).toBe(130);
  expect(service.record(first)).toMatchObject({ status: 'canceled' });

  // Only the second one can end it: the grace period is longer than the test's timeout.
  const env = { TACHO_LIMITS_KILL_GRACE_MS: '1h' };
  const stubborn = ['sh', '-c', 'trap "echo deaf" TERM; echo ready; : sleep 392; while :; do sleep 0.1; done'];
  const twice = start(['run', '--queue', '--', ...stubborn], env);
  const second = await started(392);
  let shown = '';
  twice.stdout.on('data', (bytes: Buffer) => {
    shown += bytes.toString();
  });
  await until(() => shown.includes('ready'));
  twice.kill('SIGINT');
  await until(() => shown.includes('deaf'));
  twice.kill('SIGINT');
  expect((await finished(twice)).code).toBe(130);
  expect(service.record(second)).toMatchObject({ status: 'canceled' });
});

test('killing run --queue does not end the run', async () => {
  const flag = path.join(service.home, 'flag');
  const script = `: sleep 394; while [ ! -e ${flag} ]; do sleep 0.1; done; exit 5`;
  const lost = start(['run', '--queue', '--', 'sh', '-c', script]);
  const runId = await started(394);
  lost.kill('SIGKILL');
  await finished(lost);
  fs.writeFileSync(flag, '');
  expect(await whenResting(service.client, runId)).toMatchObject({ status: 'failed', last: { exit_code: 5 } });
});

test('a run that a command records itself takes no slot, and the server lists, streams and cancels it', async () => {
  const local = finished(start(['run', '--scratch', '--', 'sleep', '395']));
  const runId = await started(395);
  const queued = await service.client.createRun({ command: ['echo', 'meanwhile'] });
  expect(await whenResting(service.client, queued.run_id)).toMatchObject({ status: 'succeeded' });
  expect(await service.client.getRun(runId)).toMatchObject({ status: 'running' });
  await service.client.cancel(runId);
  for await (const event of service.client.followEvents(runId)) expect(event.run_id).toBe(runId);
  expect((await local).code).toBe(130);
});

test('a queued run whose folder was removed fails with that error, in the command and in the result', async () => {
  const blocker = await service.client.createRun({ command: ['sleep', '397'] });
  await started(397);
  const cwd = fs.mkdtempSync(path.join(service.home, 'workspace-'));
  const waiting = start(['run', '--queue', '--json', '--cwd', cwd, '--', 'true']);
  const ended = finished(waiting);
  await expect.poll(async () => (await service.client.listRuns({ status: 'queued' })).total).toBe(1);
  const [queued] = (await service.client.listRuns({ status: 'queued' })).runs;
  fs.rmdirSync(cwd);
  await service.client.cancel(blocker.run_id);
  const { code, stdout } = await ended;
  const error = { code: 'CWD_NOT_FOUND', fix: expect.stringContaining('existing folder') };
  expect({ code, answer: JSON.parse(stdout) }).toMatchObject({ code: 1, answer: { error } });
  expect(await service.client.result(queued!.run_id)).toMatchObject({
    status: 'failed',
    error,
  });
});
