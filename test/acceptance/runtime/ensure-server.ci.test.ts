import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readProcessStat } from '../../../src/files/index.ts';
import { readRegistry } from '../../../src/runtime/daemon/registry.ts';
import { findServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, processesWith, removeFolder } from '../../support/tacho.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';
import { type DaemonUnderTest, daemonOf, sharedDaemon, startTacho } from './daemon.ts';

describe('one daemon serves a workspace, and ends the processes that a killed daemon left behind', () => {
  const shared = sharedDaemon();

  test('fifty clients in one process get one daemon', async () => {
    const daemon = shared;
    const clients = Array.from({ length: 50 }, () => daemon.client());
    const answers = await Promise.all(clients.map((client) => client.call('runtime.status', {})));
    expect(new Set(answers.map(({ pid }) => pid))).toEqual(new Set([daemon.serverFile().pid]));
    expect(daemonsOf(daemon)).toEqual([daemon.serverFile().pid]);
  });

  test('clients in separate processes get one daemon', async () => {
    const daemon = daemonOf();
    const count = proofSize({ small: 4, full: 50 });
    const ping = '{"jsonrpc":"2.0","id":1,"method":"runtime.status"}\n';
    const answers = await Promise.all(
      Array.from({ length: count }, async () => {
        const child = startTacho(['runtime', '--stdio', '--keep', '--workspace', daemon.workspace]);
        child.stdin!.end(ping);
        return JSON.parse((await finished(child)).stdout).result.pid;
      }),
    );
    expect(answers).toEqual(Array(count).fill(daemon.serverFile().pid));
    expect(daemonsOf(daemon)).toEqual([daemon.serverFile().pid]);
  });

  test('server.json may disappear while a client checks it', async () => {
    const daemon = daemonOf();
    const file = path.join(daemon.folder, 'server.json');
    const { lstatSync } = fs;
    const lstat = vi.spyOn(fs, 'lstatSync').mockImplementation(((place: fs.PathLike, ...rest: []) => {
      if (place !== file) return lstatSync(place, ...rest);
      lstat.mockRestore();
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    }) as typeof fs.lstatSync);
    expect((await daemon.client().call('runtime.status', {})).pid).toBe(daemon.serverFile().pid);
    expect(vi.isMockFunction(fs.lstatSync)).toBe(false);
  });

  test('after kill -9 the next daemon ends the processes of the killed one, and no others', {
    timeout: 120_000,
  }, async () => {
    const daemon = daemonOf();
    const client = daemon.client();
    const ours = (await openTenSessions(client, daemon.workspace)).map(identify);
    const registry = path.join(daemon.folder, 'exec_registry.json');
    expect(readRegistry(registry)).toHaveLength(10);

    const foreign = foreignProcesses();
    await daemon.crash();
    // The first process of one session dies too, and an unrelated process gets its pid.
    const dead = readRegistry(registry)[0]!;
    const recycled = await recyclePid(dead.pid!);
    if (recycled) foreign.push(recycled);
    // Two forged entries match foreign processes by number only: one by pid, one by pid and start time.
    const [one, other] = foreign.map(({ pid }) => identify(pid!)) as [Identity, Identity];
    const forged = [
      { ...dead, session_id: 's-pid', pid: one.pid, start_time: '1', marker: 'of-nobody' },
      { ...dead, session_id: 's-both', pid: other.pid, start_time: other.since, marker: 'of-nobody-else' },
    ];
    fs.appendFileSync(registry, forged.map((runs) => `${JSON.stringify({ runs })}\n`).join(''));
    expect(ours.filter(isStillRunning).length).toBeGreaterThanOrEqual(3);

    const status = await daemon.client().call('runtime.status', {});
    expect(status).toMatchObject({ sessions: { active: 0 }, registry: { entries: 0 } });
    expect(ours.filter(isStillRunning)).toEqual([]);
    expect(foreign.map(({ pid }) => isRunning(pid!))).toEqual(foreign.map(() => true));
  });

  test('a client whose daemon was killed switches to the next one', async () => {
    const daemon = shared;
    const client = daemon.client();
    const { pid } = await client.call('runtime.status', {});
    await daemon.crash();
    expect((await client.call('runtime.status', {})).pid).not.toBe(pid);
  });

  test('an idle daemon ends by itself, and so does a daemon whose folder was removed', async () => {
    const idle = daemonOf();
    const child = startTacho(['runtime', 'serve', '--idle', '100ms', '--workspace', idle.workspace]);
    // Status queries do not count as activity.
    const polling = setInterval(
      () =>
        void findServer(idle.workspace)
          .then(queryOnce)
          .catch(() => {}),
      20,
    );
    expect(await finished(child)).toMatchObject({ code: 0 });
    clearInterval(polling);
    expect(fs.existsSync(path.join(idle.folder, 'server.json'))).toBe(false);
    const lost = daemonOf();
    const { pid } = await lost.client().call('runtime.status', {});
    removeFolder(lost.folder);
    await until(() => !isRunning(pid), 'the daemon has ended');
  });
});

async function queryOnce(client: RuntimeClient | null): Promise<void> {
  await client?.call('session.list', {}).finally(() => client.close());
}

/** Running daemons of the workspace. A child has its parent's command line until it calls exec: it does not count. */
function daemonsOf({ workspace }: DaemonUnderTest): number[] {
  const alike = processesWith(`serve\0--workspace\0${fs.realpathSync(workspace)}`);
  return alike.filter((pid) => {
    const parent = readProcessStat(pid)?.parent;
    return parent !== undefined && !alike.includes(parent);
  });
}

/** Opens shells, programs and terminals; returns the pids of all their processes. */
async function openTenSessions(client: RuntimeClient, workspace: string): Promise<number[]> {
  const pids: number[] = [];
  for (let index = 0; index < 10; index++) {
    const kind = (['shell', 'exec', 'pty'] as const)[index % 3]!;
    const argv = kind === 'shell' ? {} : { argv: ['sh', '-c', 'trap "" HUP; while :; do sleep 1; done'] };
    const { pid, session_id } = await client.call('session.create', { kind, ...argv });
    pids.push(pid!);
    if (kind !== 'shell') continue;
    const command = `setsid sleep 987 & echo $! >pid.${index}; (setsid sh -c 'trap "" TERM HUP; echo $$ >pid.deep.${index}; while :; do sleep 1; done' &)`;
    await client.call('exec.run', { session_id, command });
    for (const file of [`pid.${index}`, `pid.deep.${index}`]) {
      const name = path.join(workspace, file);
      await until(() => fs.existsSync(name) && fs.readFileSync(name, 'utf8').endsWith('\n'), file);
      pids.push(Number(fs.readFileSync(name, 'utf8')));
    }
  }
  return pids;
}

/** Processes that resemble ours but are not: one has a different marker. */
function foreignProcesses(): ChildProcess[] {
  const start = (env: Record<string, string>) => {
    const child = spawn('sleep', ['986'], { env: { ...process.env, ...env }, detached: true });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  return [start({}), start({}), start({ TACHO_MARKER: 'another' })];
}

/** Ends the process and starts another one with the same pid; null where the machine does not allow that. */
async function recyclePid(pid: number): Promise<ChildProcess | null> {
  const lastPid = '/proc/sys/kernel/ns_last_pid';
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended together with its daemon.
  }
  await until(() => !fs.existsSync(`/proc/${pid}`), 'the pid is free');
  const before = fs.readFileSync(lastPid, 'utf8');
  try {
    for (let attempt = 0; attempt < 100; attempt++) {
      fs.writeFileSync(lastPid, String(pid - 1));
      const child = spawn('sleep', ['985'], { detached: true });
      onTestFinished(() => void child.kill('SIGKILL'));
      if (child.pid === pid) return child;
    }
    return null;
  } catch {
    return null;
  } finally {
    // Restore the counter for the rest of the machine.
    if (process.getuid!() === 0) fs.writeFileSync(lastPid, before);
  }
}

interface Identity {
  pid: number;
  since: string;
}

/** The pid alone is not enough: the test reuses it for another process. */
function identify(pid: number): Identity {
  return { pid, since: readProcessStat(pid)!.startTime };
}

function isStillRunning({ pid, since }: Identity): boolean {
  const stat = readProcessStat(pid);
  return stat !== null && !stat.zombie && stat.startTime === since;
}
