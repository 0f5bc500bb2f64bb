import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { finished, sandbox, temporaryFolder } from '../../support/tacho.ts';
import { isRunning } from '../../terminal/run-terminal.ts';
import { daemonOf, startTacho } from '../runtime/daemon.ts';
import { openShell, type RuntimeUnderTest, runtimeInProcess } from '../runtime/runtime.ts';
import { leftSleeping, OUTLIVING_WAYS, uniqueSeconds } from './outliving-ways.ts';

const NOBODY_UID = 65_534;
const SLOW = 'under another recorder';
const LOWERED = 'with its tag lowered';
const WORST = 'without session, parents and environment';
const FORKING = 'forking repeatedly';
const ways = Object.keys(OUTLIVING_WAYS).filter((way) => way !== proofSize({ small: SLOW, full: '' }));

/** The script of a way, and how many of its processes are alive. */
function wayOut(way: string): { script: string; begun: () => number; left: () => number } {
  const seconds = uniqueSeconds();
  onTestFinished(() => {
    for (const pid of leftSleeping(seconds)) process.kill(pid, 'SIGKILL');
  });
  return {
    script: `T=${seconds}; ${OUTLIVING_WAYS[way]}\n`,
    begun: () => leftSleeping(seconds, { settled: true }).length,
    left: () => leftSleeping(seconds).length,
  };
}

async function openAndLeave(runtime: RuntimeUnderTest, way: string) {
  const shell = await openShell(runtime, { kill_grace_ms: 200 });
  const { script, begun, left } = wayOut(way);
  await shell.run(script);
  await expect.poll(begun, { message: way }).toBeGreaterThan(0);
  return { shell, left };
}

describe('no process outlives its session', () => {
  test('by any of the known ways', async () => {
    const runtime = runtimeInProcess();
    const kept = await openShell(runtime);
    const begun: Record<string, Awaited<ReturnType<typeof openAndLeave>>> = {};
    for (const way of ways) begun[way] = await openAndLeave(runtime, way);
    const left: Record<string, number> = {};
    for (const [way, { shell }] of Object.entries(begun)) {
      await runtime.call('session.destroy', { session_id: shell.id });
      left[way] = begun[way]!.left();
    }
    // A process that lowered its tag could belong to any session; it ends with the last one.
    await runtime.call('session.destroy', { session_id: kept.id });
    left[LOWERED] = begun[LOWERED]!.left();
    expect(left).toEqual(Object.fromEntries(ways.map((way) => [way, 0])));
  });

  test('by any of the known ways, as an unprivileged user', async () => {
    const workspace = fs.realpathSync(temporaryFolder());
    fs.chownSync(workspace, NOBODY_UID, NOBODY_UID);
    const who = process.getuid!() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID } : {};
    const tacho = (...args: string[]) =>
      finished(startTacho(['terminal', ...args], { ...who, cwd: workspace, env: { HOME: workspace, TACHO_HOME: '' } }));
    expect(await tacho('create', '--name', 'out', '--kill-grace', '200ms')).toMatchObject({ code: 0 });
    const some = ways.filter((way, index) => index % 3 === 0 || way === WORST);
    const tried = proofSize({ small: some, full: ways }).map((way) => ({ way, ...wayOut(way) }));
    await tacho('exec', 'out', '--', tried.map(({ script }) => script).join(''));
    for (const { way, begun } of tried) await expect.poll(begun, { message: way }).toBeGreaterThan(0);
    const { pid } = JSON.parse(fs.readFileSync(path.join(workspace, '.tacho/runtime/server.json'), 'utf8'));
    expect(await tacho('kill', 'out')).toMatchObject({ code: 0 });
    const left = tried.filter((one) => one.left() > 0).map(({ way }) => way);
    process.kill(pid, 'SIGTERM');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(left).toEqual([]);
  });

  test('after the command that started it has ended', async () => {
    const runtime = runtimeInProcess();
    const { script, left } = wayOut(WORST);
    const { session_id } = await runtime.call('exec.run', {
      argv: ['bash', '-c', `${script} sleep 0.2`],
      kill_grace_ms: 200,
    });
    expect(session_id).toBeTruthy();
    await expect.poll(left).toBe(0);
  });

  test('after the daemon was stopped, or was killed and the next one started', async () => {
    const daemon = daemonOf();
    // After a crash no process is left that had adopted one with a lowered tag.
    const findable = ways.filter((way) => way !== LOWERED);
    const tried = proofSize({ small: [WORST, FORKING], full: findable });
    const leave = async () => {
      const client = daemon.client();
      const runtime = { workspace: daemon.workspace, call: client.call.bind(client) };
      const begun: Record<string, () => number> = {};
      for (const way of tried) begun[way] = (await openAndLeave(runtime, way)).left;
      const left = () => tried.filter((way) => begun[way]!() > 0);
      return { client, left, pid: daemon.serverFile().pid };
    };
    const first = await leave();
    await first.client.call('runtime.shutdown', {});
    await expect.poll(() => isRunning(first.pid)).toBe(false);
    expect(first.left()).toEqual([]);
    const second = await leave();
    await daemon.crash();
    expect(second.left()).toContain(WORST);
    await daemon.client().call('session.list', {});
    expect(second.left()).toEqual([]);
  });

  test('after its recorder was killed and the run recovered', async () => {
    const { start, here } = sandbox();
    const { script, begun, left } = wayOut(WORST);
    const recorder = start(['run', '--', 'bash', '-c', `${script} sleep 300`]);
    const end = finished(recorder);
    await expect.poll(begun).toBe(1);
    recorder.kill('SIGKILL');
    await end;
    await here(['recover']);
    expect(left()).toBe(0);
  });
});
