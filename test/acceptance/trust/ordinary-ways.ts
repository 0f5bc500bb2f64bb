import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { type Service, whenResting } from '../../support/service.ts';
import { finished, until } from '../../support/tacho.ts';
import { type Daemon, type Place, startCommand, tacho, WITHOUT_TERMINALS } from '../failures/drive.ts';
import { startHungUp } from '../failures/start-hung-up.ts';

/** One data folder, its server, and the daemon of a workspace that records into it. */
export interface Scene {
  place: Place;
  service: Service;
  daemon: Daemon;
}

/** An ended run, and whether it was recovered after a crash. */
export interface EndedRun {
  runId: string;
  status: RunRecord['status'];
  recovered?: boolean;
}

export type Way = (scene: Scene) => Promise<EndedRun[]>;

const SLEEPER = { command: ['sleep', '1000'] };
const FREE = { engine_args: ['--pace=0'] };
const ASKING = { engine: 'codex', prompt: 'paint the door', mode: 'interactive' } as const;
const APPROVING = { engine: 'demo', prompt: 'approve', ...FREE } as const;

/** Ways that do not disturb the server and the daemon, so that several can run at once. */
export const WAYS: Record<string, Way> = {
  success: (scene) => recorded(scene, ['true'], 'succeeded'),
  'success through the server': (scene) => served(scene, { command: ['true'] }, 'succeeded'),
  'success of an engine': (scene) => served(scene, { engine: 'demo', prompt: 'report', ...FREE }, 'succeeded'),
  failure: (scene) => recorded(scene, ['sh', '-c', 'echo no; exit 3'], 'failed'),
  'failure through the server': (scene) => served(scene, { command: ['false'] }, 'failed'),
  'failure of an engine': (scene) => served(scene, { engine: 'demo', prompt: 'fail', ...FREE }, 'failed'),
  timeout: (scene) => recorded(scene, ['sleep', '1000'], 'failed', ['--timeout', '200ms']),
  'no progress': (scene) => served(scene, { ...SLEEPER, limits: { no_progress_timeout_ms: 200 } }, 'failed'),
  'no terminal': ({ place, ...scene }) =>
    recorded({ ...scene, place: { ...place, entry: WITHOUT_TERMINALS } }, ['true'], 'failed'),
  'a working folder that is gone': async (scene) => {
    const folder = fs.mkdtempSync(path.join(scene.place.workspace, 'gone-'));
    return recorded(scene, ['sh', '-c', `rmdir '${folder}'`], 'succeeded', ['--cwd', folder]);
  },
  'cancel in the queue': async (scene) => {
    const { client } = scene.service;
    const before = await Promise.all(Array.from({ length: SLOTS }, () => client.createRun(SLEEPER)));
    const { run_id } = await client.createRun(SLEEPER);
    await client.cancel(run_id);
    return [await resting(scene, run_id, 'canceled'), ...(await canceled(scene, before))];
  },
  'cancel in the queue by the command': async (scene) => {
    const { client } = scene.service;
    const before = await Promise.all(Array.from({ length: SLOTS }, () => client.createRun(SLEEPER)));
    const { run_id } = await client.createRun(SLEEPER);
    await tacho(scene.place, 'cancel', run_id);
    return [await resting(scene, run_id, 'canceled'), ...(await canceled(scene, before))];
  },
  'cancel while it starts': async (scene) => canceled(scene, [await scene.service.client.createRun(SLEEPER)]),
  'cancel while it runs': async (scene) => {
    const { run_id } = await scene.service.client.createRun(SLEEPER);
    await until(() => scene.service.record(run_id).live?.child);
    return canceled(scene, [{ run_id }]);
  },
  'cancel while it waits for an answer': async (scene) => canceled(scene, [await asked(scene)]),
  'cancel of a waiting run by the command': async (scene) => {
    const { run_id } = await asked(scene);
    await tacho(scene.place, 'cancel', run_id);
    return [await resting(scene, run_id, 'canceled')];
  },
  'cancel while it waits to be allowed': async (scene) => canceled(scene, [await wantingApproval(scene)]),
  reply: async (scene) => {
    const { run_id, interaction_id } = await asked(scene);
    await scene.service.client.reply(run_id, { interaction_id, text: 'blue', idempotency_key: run_id });
    return [await resting(scene, run_id, 'succeeded')];
  },
  'cancel of a run that was replied to': async (scene) => {
    const { run_id, interaction_id } = await asked(scene);
    await scene.service.client.reply(run_id, { interaction_id, text: 'blue', idempotency_key: run_id });
    await scene.service.client.cancel(run_id).catch(() => {});
    const { status } = await whenResting(scene.service.client, run_id);
    return [await resting(scene, run_id, status)];
  },
  'a decision': async (scene) => {
    const { run_id } = await wantingApproval(scene);
    const [asking] = (await scene.service.client.approvals({})).filter((one) => one.run_id === run_id);
    await scene.service.client.decide(asking!.approval_id, { decision: 'denied' });
    const { status } = await whenResting(scene.service.client, run_id);
    return status === 'waiting_user' ? canceled(scene, [{ run_id }]) : [await resting(scene, run_id, status)];
  },
  'an approval that expires': async (scene) => {
    const { engine_args } = { engine_args: [...FREE.engine_args, '--approval-wait=50'] };
    const request = { ...APPROVING, engine_args, mode: 'interactive' as const };
    const { run_id } = await scene.service.client.createRun(request);
    await whenResting(scene.service.client, run_id);
    return canceled(scene, [{ run_id }]);
  },
  'a recorder that is killed': async (scene) => {
    const recorder = startCommand(scene.place, ['sleep', '1000']);
    const runId = await until(() => liveRunOf(scene, recorder.pid!));
    const ended = once(recorder, 'exit');
    process.kill(recorder.pid!, 'SIGKILL');
    await ended;
    await tacho(scene.place, 'recover', runId);
    return [await resting(scene, runId, 'failed', { recovered: true })];
  },
  'a supervisor that is killed': async (scene) => {
    const { run_id } = await scene.service.client.createRun(SLEEPER);
    await until(() => scene.service.record(run_id).live?.child);
    return [await supervisorKilled(scene, run_id)];
  },
  'a supervisor that is killed while its run waits to be allowed': async (scene) => [
    await supervisorKilled(scene, (await wantingApproval(scene)).run_id),
  ],
  'a hang-up': async (scene) => {
    const { recorder, ended, hangUp } = startHungUp(scene.place, 'split', 'echo begun; sleep 1000');
    const runId = await until(() => liveRunOf(scene, recorder.pid!));
    hangUp();
    await ended;
    return [await resting(scene, runId, 'canceled')];
  },
  'a session that ends': async (scene) => session(scene, ['true'], async () => {}),
  'a session that is killed': async (scene) =>
    session(scene, ['sleep', '1000'], (session_id) => scene.daemon.client.call('session.destroy', { session_id })),
};

/** Ways that differ from another one only in the client. */
export const SIMILAR: readonly string[] = [
  'success through the server',
  'failure through the server',
  'cancel in the queue by the command',
  'cancel of a waiting run by the command',
];

/** Ways that kill the shared server or daemon. */
export const CRASHES: Record<string, Way> = {
  'a server that is killed': async (scene) => {
    const { client, kill, again } = scene.service;
    const runs = await Promise.all(
      Array.from({ length: SLOTS + 1 }, () => client.createRun({ command: ['sleep', '1'] })),
    );
    const waiting = await asked(scene);
    await kill();
    await again();
    const ended = await Promise.all(runs.map(({ run_id }) => resting(scene, run_id, 'succeeded')));
    return [...ended, ...(await canceled(scene, [waiting]))];
  },
  'a daemon that is killed': async (scene) => {
    const { runId } = await recordedSession(scene, ['sleep', '1000']);
    await until(() => scene.service.record(runId).live?.child);
    process.kill(scene.daemon.pid, 'SIGKILL');
    return [await resting(scene, runId, 'failed', { recovered: true })];
  },
};

export const SLOTS = 2;

type Request = Parameters<Service['client']['createRun']>[0];

/** Recorded by `tacho run`. */
async function recorded(scene: Scene, argv: string[], status: EndedRun['status'], options: string[] = []) {
  const { stdout } = await finished(startCommand(scene.place, argv, options));
  const { run_id } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as { run_id: string };
  return [await resting(scene, run_id, status)];
}

async function served(scene: Scene, request: Request, status: EndedRun['status']): Promise<EndedRun[]> {
  const { run_id } = await scene.service.client.createRun(request);
  return [await resting(scene, run_id, status)];
}

async function asked({ service: { client } }: Scene): Promise<{ run_id: string; interaction_id: string }> {
  const { run_id } = await client.createRun(ASKING);
  const { question } = await whenResting(client, run_id);
  return { run_id, interaction_id: question!.interaction_id };
}

async function wantingApproval({ service }: Scene): Promise<{ run_id: string }> {
  const { run_id } = await service.client.createRun(APPROVING);
  await until(() => service.record(run_id).status === 'waiting_approval');
  return { run_id };
}

async function canceled(scene: Scene, runs: readonly { run_id: string }[]): Promise<EndedRun[]> {
  for (const { run_id } of runs) await scene.service.client.cancel(run_id);
  return Promise.all(runs.map(({ run_id }) => resting(scene, run_id, 'canceled')));
}

async function supervisorKilled(scene: Scene, runId: string): Promise<EndedRun> {
  process.kill(scene.service.record(runId).live!.supervisor.pid, 'SIGKILL');
  return resting(scene, runId, 'failed', { recovered: true });
}

async function session(
  scene: Scene,
  argv: string[],
  end: (sessionId: string) => Promise<unknown>,
): Promise<EndedRun[]> {
  const { runId, session_id } = await recordedSession(scene, argv);
  await end(session_id);
  await until(() => scene.service.record(runId).live === null);
  const { status } = scene.service.record(runId);
  return [await resting(scene, runId, status)];
}

async function recordedSession({ daemon }: Scene, argv: string[]): Promise<{ runId: string; session_id: string }> {
  const { session_id, recording } = await daemon.client.call('session.create', { kind: 'pty', argv, record: true });
  return { runId: recording!.run_id, session_id };
}

/** Waits until the record is complete. */
async function resting(
  { service }: Scene,
  runId: string,
  status: EndedRun['status'],
  more: { recovered?: boolean } = {},
): Promise<EndedRun> {
  const isSealed = () => {
    const record = service.record(runId);
    return record.live === null && record.status === status && !fs.existsSync(path.join(service.home, 'live', runId));
  };
  await until(isSealed);
  return { runId, status, ...more };
}

/** The run that a process records. */
function liveRunOf({ service }: Scene, pid: number): string | null {
  const live = path.join(service.home, 'live');
  const mine = (runId: string) => {
    try {
      const record = service.record(runId);
      return record.live?.supervisor.pid === pid && record.live.child !== null;
    } catch {
      return false; // It is starting or ending.
    }
  };
  return (fs.existsSync(live) ? fs.readdirSync(live) : []).find(mine) ?? null;
}
