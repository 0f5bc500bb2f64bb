import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunChange } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { type Service, sharedService, startService, whenResting } from '../../support/service.ts';
import { finished, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';

const ROUNDS = proofSize({ small: 1, full: 100 });

/** Connections that never send anything. Those that the server closes stay closed. */
async function openIdle({ url }: Service, count: number): Promise<net.Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => {
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => {});
    return socket;
  });
  onTestFinished(() => closeAll(sockets));
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  return sockets;
}

function closeAll(sockets: readonly net.Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

/** Records a command without the server, which must find the run by itself. */
async function recordRun(home: string): Promise<string> {
  const args = ['run', '--scratch', '--json', '--data', home, '--', 'true'];
  const env = process.env as Record<string, string>;
  const { stdout } = await tachoHere(args, { cwd: home, env, input: '' });
  return (JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as { run_id: string }).run_id;
}

async function expectServing({ client, process: server }: Service): Promise<void> {
  await client.health();
  expect({ code: server.exitCode, signal: server.signalCode }).toEqual({ code: null, signal: null });
}

/** The next run that the stream shows as succeeded. */
async function firstEnd(changes: AsyncIterator<RunChange>): Promise<string> {
  for (;;) {
    const { value, done } = await changes.next();
    if (done) throw new Error('the stream of runs has ended');
    if ('run' in value && value.run.status === 'succeeded') return value.run.run_id;
  }
}

describe('running out of descriptors', () => {
  const few = { descriptors: 64, connections: 120 };
  test.each(proofSize({ small: [few], full: [few, { descriptors: 256, connections: 300 }] }))(
    '$connections idle connections with $descriptors descriptors leave the server working',
    async (size) => {
      const service = await startService({ descriptors: size.descriptors });
      let onOpened = () => {};
      const opened = new Promise<void>((resolve) => {
        onOpened = resolve;
      });
      const changes = service.client.followRuns({ onOpened })[Symbol.asyncIterator]();
      onTestFinished(() => void changes.return?.());
      for (let round = 0; round < ROUNDS; round++) {
        const ended = firstEnd(changes);
        await opened;
        const idle = await openIdle(service, size.connections);
        const runId = await recordRun(service.home);
        expect(await ended).toBe(runId);
        await expectServing(service);
        closeAll(idle);
        expect((await service.client.getRun(runId)).status).toBe('succeeded');
      }
    },
  );
});

describe('temporarily unreadable folders', () => {
  const service = sharedService({ bound: true });

  test('the server reads the runs folder again once it is readable', async () => {
    const runs = path.join(service.home, 'runs');
    const log = path.join(service.home, 'logs/server.log');
    for (let round = 0; round < ROUNDS; round++) {
      fs.chmodSync(runs, 0);
      await expect(service.client.createRun({ command: ['true'] })).rejects.toThrow();
      // The same failure is logged once until the folder is readable again.
      if (round === 0) await until(() => fs.readFileSync(log).includes('EACCES'));
      fs.chmodSync(runs, 0o700);
      const runId = await recordRun(service.home);
      await expect.poll(async () => (await service.client.listRuns({})).runs.map((run) => run.run_id)).toContain(runId);
      await expectServing(service);
    }
  });

  test('the server survives any unreadable folder of the data folder', async () => {
    const run = async () => {
      const { run_id } = await service.client.createRun({ command: ['true'] });
      return (await whenResting(service.client, run_id)).status;
    };
    expect(await run()).toBe('succeeded');
    const folders = fs.readdirSync(service.home, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.length).toBeGreaterThan(4);
    for (const { name } of folders) {
      const folder = path.join(service.home, name);
      fs.chmodSync(folder, 0);
      // It may refuse the request, but it must keep running.
      await service.client.createRun({ command: ['true'] }).catch(() => {});
      await service.client.listRuns({}).catch(() => {});
      await service.client.health();
      fs.chmodSync(folder, 0o700);
      await expectServing(service);
    }
    expect(await run()).toBe('succeeded');
  });
});

describe('one server per data folder', () => {
  test('of six servers started at once one serves and the others name it; after it is killed a new one serves', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const home = temporaryFolder();
      const start = () => {
        const args = [tachoCommand, 'start', '--port', '0', '--json', '--data', home];
        const child = spawn(process.execPath, args, { env: { ...process.env, TACHO_HOME: home } });
        onTestFinished(() => void child.kill('SIGKILL'));
        const isReady = new Promise<{ child: ChildProcess; url: string }>((resolve) => {
          createInterface(child.stdout).once('line', (line) => {
            if (line.startsWith('{"url"')) resolve({ child, url: JSON.parse(line).url });
          });
        });
        return { child, isReady, ended: finished(child) };
      };
      const servers = Array.from({ length: 6 }, start);
      const { child: winner, url } = await Promise.race(servers.map(({ isReady }) => isReady));
      const others = await Promise.all(servers.filter(({ child }) => child !== winner).map(({ ended }) => ended));
      for (const { code, stdout } of others) {
        expect(code).toBe(1);
        expect(JSON.parse(stdout)).toMatchObject({
          error: { code: 'SERVER_RUNNING', details: { url, pid: winner.pid } },
        });
      }
      expect((await fetch(`${url}/v1/health`)).status).toBe(200);
      // A killed server leaves the data folder to the next one.
      winner.kill('SIGKILL');
      await servers.find(({ child }) => child === winner)!.ended;
      await expectServing(await startService({ home }));
    }
  });
});

describe('files that do not belong in the data folder', () => {
  const RUN = '20261115T080000-codex-0123abcd';

  /** Garbage, a named pipe and a folder in each place where the server reads small files. */
  function placeStrayFiles(home: string): string[] {
    const at = (...names: string[]) => path.join(home, ...names);
    for (const folder of ['approvals', 'live', 'private', 'runtimes', `runs/${RUN}/.audit`]) {
      fs.mkdirSync(at(folder), { recursive: true, mode: 0o700 });
    }
    const pipes = [
      at('approvals/pipe.request.json'),
      at('live', RUN.replace('0123', '4567')),
      at(`private/${RUN}.next.json`),
      at('runtimes/0123456789abcdef.json'),
    ];
    execFileSync('mkfifo', [...pipes, at('runs', RUN, '.run.json')]);
    fs.mkdirSync(at('approvals/folder.request.json'));
    fs.writeFileSync(at('approvals/garbage.request.json'), '{"run_id":');
    fs.writeFileSync(at('approvals/other.request.json'), '"a text"');
    fs.writeFileSync(at('live/nowhere'), '/nowhere');
    return [...pipes, at('approvals/garbage.request.json'), at('approvals/folder.request.json'), at('runs', RUN)];
  }

  test('the server starts, works and reports each of them once', async () => {
    const home = temporaryFolder();
    const strays = placeStrayFiles(home);
    const service = await startService({ home });
    expect(await service.client.approvals()).toEqual([]);
    const run = await service.client.createRun({ engine: 'demo', prompt: 'hello', engine_args: ['--pace=0'] });
    expect(await whenResting(service.client, run.run_id)).toMatchObject({
      status: expect.stringMatching(/succeeded|waiting/),
    });
    const log = fs.readFileSync(path.join(home, 'logs/server.log'), 'utf8');
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { place?: string });
    for (const file of strays)
      expect({ file, reports: lines.filter(({ place }) => place === file).length }).toEqual({ file, reports: 1 });
    await expectServing(service);
  });

  test('a run of an engine that asks for approvals is sealed', async () => {
    const home = temporaryFolder();
    placeStrayFiles(home);
    const args = ['run', '--scratch', '--json', '--data', home, '--engine-arg=--pace=0', 'demo', '--', 'hello'];
    const env = process.env as Record<string, string>;
    const { code, stdout, stderr } = await tachoHere(args, { cwd: home, env, input: '' });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { run_dir } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as { run_dir: string };
    expect(fs.readdirSync(path.join(run_dir, '.audit'))).toContain('seal.1.json');
  });
});
