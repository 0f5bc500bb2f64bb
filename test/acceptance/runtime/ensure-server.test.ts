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

describe('one daemon serves a workspace, and the next one ends what a killed one left', () => {
  const shared = sharedDaemon();

  test('fifty clients in one process get one daemon', async () => {
    const daemon = shared;
    const clients = Array.from({ length: 50 }, () => daemon.client());
    const answers = await Promise.all(clients.map((client) => client.call('runtime.status', {})));
    expect(new Set(answers.map(({ pid }) => pid))).toEqual(new Set([daemon.serverFile().pid]));
    expect(daemonsOf(daemon)).toEqual([daemon.serverFile().pid]);
  });

  test('clients in processes of their own get one daemon', { timeout: 120_000 }, async () => {
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

  test('what a daemon wrote may go while a client looks at it', async () => {
    const daemon = daemonOf();
    const file = path.join(daemon.folder, 'server.json');
    const { lstatSync } = fs;
    const looking = vi.spyOn(fs, 'lstatSync').mockImplementation(((place: fs.PathLike, ...rest: []) => {
      if (place !== file) return lstatSync(place, ...rest);
      looking.mockRestore();
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    }) as typeof fs.lstatSync);
    expect((await daemon.client().call('runtime.status', {})).pid).toBe(daemon.serverFile().pid);
    expect(vi.isMockFunction(fs.lstatSync)).toBe(false);
  });

  test('after kill -9 the next daemon ends what the last one left, and only that', { timeout: 120_000 }, async () => {
    const daemon = daemonOf();
    const client = daemon.client();
    const ours = (await openTenSessions(client, daemon.workspace)).map(identify);
    const registry = path.join(daemon.folder, 'exec_registry.json');
    expect(readRegistry(registry)).toHaveLength(10);

    const foreign = foreignProcesses();
    await daemon.crash();
    // One first process dies too, and its pid goes to somebody else.
    const dead = readRegistry(registry)[0]!;
    const recycled = await recyclePid(dead.pid!);
    if (recycled) foreign.push(recycled);
    // And two that could only be taken for ours by their numbers: the pid alone, and the pid with its start time.
    const [one, other] = foreign.map(({ pid }) => identify(pid!)) as [Identity, Identity];
    const forged = [
      { ...dead, session_id: 's-pid', pid: one.pid, start_time: '1', marker: 'of-nobody' },
      { ...dead, session_id: 's-both', pid: other.pid, start_time: other.since, marker: 'of-nobody-else' },
    ];
    fs.appendFileSync(registry, forged.map((runs) => `${JSON.stringify({ runs })}\n`).join(''));
    expect(ours.filter(stillRuns).length).toBeGreaterThanOrEqual(3);

    const status = await daemon.client().call('runtime.status', {});
    expect(status).toMatchObject({ sessions: { active: 0 }, registry: { entries: 0 } });
    expect(ours.filter(stillRuns)).toEqual([]);
    expect(foreign.map(({ pid }) => isRunning(pid!))).toEqual(foreign.map(() => true));
  });

  test('a client whose daemon was killed goes on with the next one', async () => {
    const daemon = shared;
    const client = daemon.client();
    const { pid } = await client.call('runtime.status', {});
    await daemon.crash();
    expect((await client.call('runtime.status', {})).pid).not.toBe(pid);
  });

  test('a daemon with nothing to do ends by itself, and so does one whose folder is gone', async () => {
    const idle = daemonOf();
    const child = startTacho(['runtime', 'serve', '--idle', '100ms', '--workspace', idle.workspace]);
    // Whoever only looks does not keep it.
    const looking = setInterval(
      () =>
        void findServer(idle.workspace)
          .then(lookAndGo)
          .catch(() => {}),
      20,
    );
    expect(await finished(child)).toMatchObject({ code: 0 });
    clearInterval(looking);
    expect(fs.existsSync(path.join(idle.folder, 'server.json'))).toBe(false);
    const lost = daemonOf();
    const { pid } = await lost.client().call('runtime.status', {});
    removeFolder(lost.folder);
    await until(() => !isRunning(pid), 'the daemon has ended');
  });
});

async function lookAndGo(client: RuntimeClient | null): Promise<void> {
  await client?.call('session.list', {}).finally(() => client.close());
}

/** Daemons of the workspace that run. What one of them starts bears its command line until it is another program. */
function daemonsOf({ workspace }: DaemonUnderTest): number[] {
  const alike = processesWith(`serve\0--workspace\0${fs.realpathSync(workspace)}`);
  return alike.filter((pid) => {
    const parent = readProcessStat(pid)?.parent;
    return parent !== undefined && !alike.includes(parent);
  });
}

/** Shells, programs and terminals; the pids of all their processes. */
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

/** Like ours in everything but that they are not: one carries a marker of its own. */
function foreignProcesses(): ChildProcess[] {
  const start = (env: Record<string, string>) => {
    const child = spawn('sleep', ['986'], { env: { ...process.env, ...env }, detached: true });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  return [start({}), start({}), start({ TACHO_MARKER: 'another' })];
}

/** Ends the process and has another one get its pid; null where the machine does not allow that. */
async function recyclePid(pid: number): Promise<ChildProcess | null> {
  const lastPid = '/proc/sys/kernel/ns_last_pid';
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended with its daemon.
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
    // The rest of the machine goes on as if nothing had been.
    if (process.getuid!() === 0) fs.writeFileSync(lastPid, before);
  }
}

interface Identity {
  pid: number;
  since: string;
}

/** A pid alone may be somebody else's a moment later, and is here. */
function identify(pid: number): Identity {
  return { pid, since: readProcessStat(pid)!.startTime };
}

function stillRuns({ pid, since }: Identity): boolean {
  const stat = readProcessStat(pid);
  return stat !== null && !stat.zombie && stat.startTime === since;
}
