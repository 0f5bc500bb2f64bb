import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { ownIdentity } from '../../../src/files/index.ts';
import { type RunRecord, TachoError } from '../../../src/protocol/index.ts';
import { runFolderAt, writeRunRecord } from '../../../src/recording/index.ts';
import { ControlServer } from '../../../src/runs/control/control-server.ts';
import { locateControl, locateDataHome, openJournal } from '../../../src/runs/index.ts';
import { failToStart } from '../../../src/runs/service/fail-to-start.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, isWatching, processesWith, type Sandbox, sandbox, until } from '../../support/tacho.ts';
import { openService, whenEnded } from './open-service.ts';

const ASKS = ['run', 'codex', '--mode', 'interactive', '--', 'paint the door'];
const asking = () => ({ env: fakeEngine('codex', 'codex-asks.mjs') });

function recordOf(home: string, runId: string): RunRecord {
  return JSON.parse(fs.readFileSync(path.join(home, 'runs', runId, '.run.json'), 'utf8'));
}

function noteOf(home: string, runId: string): string {
  return path.join(home, 'private', `${runId}.cancel.json`);
}

function timesCanceled(box: Sandbox): number {
  return box.events().filter(({ event, data }) => {
    return event.type === 'lifecycle.run.status' && (data as { status: string }).status === 'canceled';
  }).length;
}

/** Waits until the program of the newest run has started. */
async function startedRun({ home, runIds }: Sandbox): Promise<void> {
  await until(() => {
    const runId = fs.existsSync(path.join(home, 'runs')) && runIds().at(-1);
    return runId && fs.existsSync(path.join(home, 'runs', runId, '.run.json')) && recordOf(home, runId).live?.child;
  });
}

async function askedRun(): Promise<Sandbox & { runId: string }> {
  const box = sandbox();
  await box.here(ASKS, asking());
  const [runId] = box.runIds();
  expect(recordOf(box.home, runId!).status).toBe('waiting_user');
  return { ...box, runId: runId! };
}

/**
 * Holds the run's lock and listens on its socket like a recorder whose program has ended. Its record is slightly
 * behind, and it ignores a cancel.
 */
async function pretendToRecord(
  root: string,
  runId: string,
  { status = 'running' }: Partial<RunRecord> = {},
): Promise<{ canceled(): number; leave(): Promise<void> }> {
  const folder = runFolderAt(path.join(root, 'runs', runId));
  const record = recordOf(root, runId);
  const journal = openJournal(folder, loadConfig({ workspaceRoot: root, env: {} }).config);
  const { epoch } = await journal.claim(runId);
  const control = await ControlServer.listen(locateControl(locateDataHome({}, root), record.handle));
  let cancels = 0;
  control.attach({ write: async () => {}, resize() {}, cancel: () => void cancels++ });
  const capture = { mode: 'merged', reason: 'test', level: 'minimal' } as const;
  const who = { supervisor: ownIdentity(), child: null, marker: '', started_at: null, env_names: [], secret_names: [] };
  writeRunRecord(folder, { ...record, status, live: { attempt: 1, capture, ...who } });
  return {
    canceled: () => cancels,
    async leave() {
      control.close();
      writeRunRecord(folder, record);
      await journal.release(runId, epoch);
    },
  };
}

test('a cancel requested during sealing takes effect, although its client was killed', async () => {
  const box = sandbox();
  await box.here(['run', '--', 'true']);
  const [first] = box.runIds();
  const key = path.join(box.home, 'keys/seal.ed25519.pem');
  const pem = fs.readFileSync(key);
  fs.rmSync(key);
  expect(spawnSync('mkfifo', [key]).status).toBe(0);
  const sealed = finished(box.start(ASKS, asking()));
  await until(() => box.runIds().length === 2);
  const runId = box.runIds().find((id) => id !== first)!;
  await until(() => fs.existsSync(path.join(box.home, 'runs', runId, '.run.json')));
  await until(() => recordOf(box.home, runId).status === 'waiting_user');
  const canceling = box.start(['cancel', runId]);
  await until(() => fs.existsSync(noteOf(box.home, runId)) && isWatching(canceling));
  const gone = once(canceling, 'exit');
  canceling.kill('SIGKILL');
  await gone;
  fs.writeFileSync(key, pem);
  await sealed;
  fs.rmSync(key);
  fs.writeFileSync(key, pem, { mode: 0o600 });
  fs.rmSync(path.join(box.home, 'runs', first!), { recursive: true });
  await box.here(['recover']);
  expect(recordOf(box.home, runId)).toMatchObject({ status: 'canceled', live: null });
  expect((await box.here(['verify', runId])).stdout).toContain('intact');
  await box.here(['recover']);
  expect(timesCanceled(box)).toBe(1);
  expect(fs.existsSync(noteOf(box.home, runId))).toBe(false);
});

test('a cancel that reaches the recorder after its program ended with a question ends the run', async () => {
  const { home, runId } = await askedRun();
  const { director } = await openService({ home });
  const recorder = await pretendToRecord(home, runId);
  expect(await director.cancel(runId)).toMatchObject({ status: 'running' });
  expect(recorder.canceled()).toBe(1);
  await recorder.leave();
  await until(() => recordOf(home, runId).status === 'canceled');
});

test('a reply waits for the seal of the attempt with the question, however long that takes', async () => {
  const { home, runId } = await askedRun();
  const { director } = await openService({ home, ...asking() });
  const { interaction_id } = recordOf(home, runId).question!;
  const recorder = await pretendToRecord(home, runId, { status: 'waiting_user' });
  const replied = director.reply(runId, { interaction_id, text: 'blue' });
  // At the full size, longer than the lock timeout.
  await sleep(proofSize({ small: 200, full: 6000 }));
  await recorder.leave();
  expect(await replied).toMatchObject({ attempt: 2 });
  expect(await whenEnded(director, runId)).toMatchObject({ status: 'succeeded' });
});

test('a run whose recorder has no socket is canceled', async () => {
  const box = sandbox();
  fs.writeFileSync(path.join(box.home, 'sock'), 'not a folder');
  const recorder = finished(box.start(['run', '--', 'sleep', `323.${process.pid}`]));
  await startedRun(box);
  expect(await box.here(['cancel', 'last'])).toMatchObject({ code: 0 });
  expect((await recorder).code).toBe(130);
  expect(timesCanceled(box)).toBe(1);
});

test('a run whose recorder died is completed by a cancel', async () => {
  const box = sandbox();
  const recorder = box.start(['run', '--', 'sleep', `327.${process.pid}`]);
  const gone = once(recorder, 'exit');
  await startedRun(box);
  recorder.kill('SIGKILL');
  await gone;
  const { code, stdout } = await box.here(['cancel', 'last']);
  expect(code).toBe(0);
  expect(stdout).toContain('has failed');
  expect(processesWith(`sleep\u0000327.${process.pid}`)).toEqual([]);
});

test('a supervisor that finds nothing to start, because the run was canceled, leaves it canceled', async () => {
  const box = await askedRun();
  expect((await box.here(['cancel', box.runId])).code).toBe(0);
  const config = loadConfig({ workspaceRoot: box.home, env: {} }).config;
  const context = { home: locateDataHome({}, box.home), config, env: {}, version: 'test' };
  const missing = new TachoError('RUN_RECORD_CORRUPT', 'the request is missing');
  await failToStart(runFolderAt(path.join(box.home, 'runs', box.runId)), context, missing);
  expect(recordOf(box.home, box.runId)).toMatchObject({ status: 'canceled', live: null });
});

describe('a pending cancel note', () => {
  const note = JSON.stringify({ format: 'tacho-cancel/1', asked_at: new Date().toISOString() });

  test('takes effect before a later reply', async () => {
    const { home, runId } = await askedRun();
    const { director } = await openService({ home, ...asking() });
    fs.writeFileSync(noteOf(home, runId), note, { mode: 0o600 });
    const { interaction_id } = recordOf(home, runId).question!;
    await expect(director.reply(runId, { interaction_id, text: 'blue' })).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(recordOf(home, runId)).toMatchObject({ status: 'canceled', attempt: 1 });
  });

  test('takes effect in the next server', async () => {
    const { home, runId } = await askedRun();
    fs.writeFileSync(noteOf(home, runId), note, { mode: 0o600 });
    const { director } = await openService({ home });
    expect(await whenEnded(director, runId)).toMatchObject({ status: 'canceled' });
  });

  test('does not apply to an ended run that is reopened', async () => {
    const box = await askedRun();
    expect((await box.here(['cancel', box.runId])).code).toBe(0);
    fs.writeFileSync(noteOf(box.home, box.runId), note, { mode: 0o600 });
    await box.here(['resume', '--reopen', box.runId, 'go on'], asking());
    expect(recordOf(box.home, box.runId)).toMatchObject({ status: 'succeeded' });
    expect(timesCanceled(box)).toBe(1);
  });

  test.each([
    ['a named pipe', (file: string) => void spawnSync('mkfifo', [file])],
    ['a link', (file: string) => fs.symlinkSync(`${file}.elsewhere`, file)],
    ['of another format', (file: string) => fs.writeFileSync(file, '{"format":"tacho-cancel/9"}')],
    ['a folder', (file: string) => fs.mkdirSync(file)],
  ])('is ignored if it is %s, and a cancel still ends the run', async (_, place) => {
    const box = await askedRun();
    const file = noteOf(box.home, box.runId);
    fs.writeFileSync(`${file}.elsewhere`, note);
    place(file);
    const problems: string[] = [];
    const { director } = await openService({ home: box.home, onProblem: (_error, at) => problems.push(at) });
    expect(await director.get(box.runId)).toMatchObject({ status: 'waiting_user' });
    expect(problems.join('\n')).toContain(box.runId);
    expect(await director.cancel(box.runId)).toMatchObject({ status: 'canceled' });
  });
});
