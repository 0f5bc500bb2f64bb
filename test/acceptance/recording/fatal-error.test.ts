import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { loadConfig } from '../../../src/config/index.ts';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { locateDataHome, parseRunRequest, settleRequest } from '../../../src/runs/index.ts';
import { queueRun } from '../../../src/runs/service/queue-attempt.ts';
import { ensureServer } from '../../../src/runtime/index.ts';
import { faultyCommand } from '../../support/faulty.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, processesWith, type Sandbox, sandbox, temporaryFolder, until } from '../../support/tacho.ts';

const ROUNDS = proofSize({ small: 1, full: 100 });

function startFaulty(args: readonly string[], home: string): ChildProcess {
  const [program, ...words] = faultyCommand();
  const child = spawn(program!, [...words, ...args], {
    cwd: home,
    env: { ...process.env, TACHO_HOME: home, NO_COLOR: '1' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a server with a fatal error logs it, ends its streams and exits with 1, and the next server works', async () => {
  const home = temporaryFolder();
  const child = startFaulty(['start', '--port', '0', '--json'], home);
  const ended = finished(child);
  const line = await new Promise<string>((resolve) => createInterface(child.stdout!).once('line', resolve));
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  const stream = await fetch(`${url}/v1/stream`, { headers: { authorization: `Bearer ${token}` } });
  child.kill('SIGUSR2');
  expect(await stream.text()).toContain('"reason":"shutdown"');
  expect((await ended).code).toBe(1);
  const log = fs.readFileSync(path.join(home, 'logs/server.log'), 'utf8');
  expect(log).toContain('provoked by the test');
  expect(log).not.toContain(token);
  expect(fs.existsSync(path.join(home, 'server.json'))).toBe(false);
  const next = startFaulty(['start', '--port', '0', '--json'], home);
  const ready = await new Promise<string>((resolve) => createInterface(next.stdout!).once('line', resolve));
  expect(await createClient(JSON.parse(ready)).health()).toMatchObject({ status: 'ok' });
  const over = finished(next);
  next.kill('SIGTERM');
  expect((await over).code).toBe(0);
});

async function expectRecovered(here: Sandbox['here'], { home, runId }: { home: string; runId: string }) {
  await here(['recover']);
  const record = JSON.parse(fs.readFileSync(path.join(home, 'runs', runId, '.run.json'), 'utf8')) as RunRecord;
  expect(record).toMatchObject({ status: 'failed', live: null });
  expect((await here(['verify', runId])).code).toBe(0);
}

test('a recorder with a fatal error ends its program, exits with 1 and leaves a recoverable record', async () => {
  const { home, here, runIds } = sandbox();
  for (let round = 0; round < ROUNDS; round++) {
    const mark = `600.${process.pid}${round}`;
    const program = `trap '' HUP TERM; echo ready; sleep ${mark}`;
    const child = startFaulty(['run', '--data', home, '--', 'sh', '-c', program], home);
    let printed = '';
    child.stdout!.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
    });
    const ended = finished(child);
    await until(() => printed.includes('ready'));
    child.kill('SIGUSR2');
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('provoked by the test') });
    await until(() => processesWith(`sleep\u0000${mark}`).length === 0);
    await expectRecovered(here, { home, runId: runIds().at(-1)! });
  }
});

test('a supervisor with a fatal error ends its program, exits with 1 and leaves a recoverable record', async () => {
  const { home, here, runIds } = sandbox();
  const { config } = loadConfig({ workspaceRoot: home, env: {} });
  const context = { home: locateDataHome({}, home), config, env: process.env, version: 'test' };
  for (let round = 0; round < ROUNDS; round++) {
    const mark = `602.${process.pid}${round}`;
    const command = ['sh', '-c', `trap '' HUP TERM; echo ready; sleep ${mark}`];
    const { folder } = await queueRun(settleRequest(parseRunRequest({ command }), context), context);
    const supervisor = startFaulty(['supervise', folder.path, '--data', home], home);
    const ended = finished(supervisor);
    const printed = path.join(folder.audit, 'stdout.1.log');
    await until(() => fs.existsSync(printed) && fs.readFileSync(printed, 'utf8').includes('ready'));
    supervisor.kill('SIGUSR2');
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('provoked by the test') });
    await until(() => processesWith(`sleep\u0000${mark}`).length === 0);
    await expectRecovered(here, { home, runId: runIds().at(-1)! });
  }
});

test('a daemon with a fatal error ends its sessions and exits with 1; recovery completes a recorded session', async () => {
  const { home, here } = sandbox();
  for (let round = 0; round < ROUNDS; round++) {
    const workspace = temporaryFolder();
    const daemon = startFaulty(['runtime', 'serve', '--workspace', workspace, '--json'], home);
    const ended = finished(daemon);
    await new Promise((resolve) => createInterface(daemon.stdout!).once('line', resolve));
    const client = ensureServer({ workspace, command: ['false'], environment: process.env });
    onTestFinished(() => client.close());
    const mark = `601.${process.pid}${round}`;
    const session = await client.call('session.create', { kind: 'exec', argv: ['sleep', mark], record: true });
    daemon.kill('SIGUSR2');
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('provoked by the test') });
    expect(processesWith(`sleep\u0000${mark}`)).toEqual([]);
    expect((await here(['verify', session.recording!.run_id])).code).toBe(0);
  }
});
