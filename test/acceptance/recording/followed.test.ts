import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeWhole } from '../../../src/files/index.ts';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { finished, isWatching, sandbox, until } from '../../support/tacho.ts';

test('events --follow and logs --follow print the question of a waiting run, and end', async () => {
  const box = sandbox();
  const recorder = box.start(['run', 'codex', '--mode', 'interactive', '--', 'paint the door'], {
    env: fakeEngine('codex', 'codex-asks.mjs'),
  });
  recorder.stdin!.end();
  const left = finished(recorder);
  await expect.poll(() => box.runIds().length).toBe(1);
  // The run record is written after the first file of the journal.
  await expect.poll(() => fs.existsSync(path.join(box.home, 'runs', box.runIds()[0]!, '.run.json'))).toBe(true);
  const [followed, logged] = await Promise.all([
    finished(box.start(['events', 'last', '--follow', '--json'])),
    finished(box.start(['logs', 'last', '--follow'])),
  ]);
  await left;
  const printed = followed.stdout.trimEnd().split('\n');
  expect(printed).toEqual(fs.readFileSync(path.join(box.audit(), 'events.jsonl'), 'utf8').trimEnd().split('\n'));
  expect(printed.at(-1)).toContain('"waiting_user"');
  expect(logged.code).toBe(0);
  expect(logged.stdout).toMatch(/paint the door[\s\S]*tacho resume/);
});

test('attach waits for the program of a run that is starting', async () => {
  const box = sandbox();
  const recorder = box.start(['run', '--', 'sh', '-c', 'echo up; read -r line']);
  const left = finished(recorder);
  const file = () => path.join(box.home, 'runs', box.runIds()[0]!, '.run.json');
  const log = () => path.join(box.audit(), 'pty-output.1.log');
  await expect.poll(() => box.runIds().length === 1 && fs.readFileSync(log(), 'utf8')).toContain('up');
  await expect.poll(() => (JSON.parse(fs.readFileSync(file(), 'utf8')) as RunRecord).live?.child).toBeTruthy();
  // Restore the earlier state: the recorder listens, but has neither started the program nor created its log.
  recorder.kill('SIGSTOP');
  const started = fs.readFileSync(file(), 'utf8');
  const record = JSON.parse(started) as RunRecord;
  fs.renameSync(log(), `${log()}.later`);
  writeWhole(file(), JSON.stringify({ ...record, live: { ...record.live, child: null } }));
  const attached = box.start(['attach', 'last', '--from-start']);
  const ended = finished(attached);
  let shown = '';
  attached.stdout!.on('data', (bytes: Buffer) => {
    shown += bytes.toString();
  });
  await until(() => isWatching(attached) || attached.exitCode !== null);
  fs.renameSync(`${log()}.later`, log());
  writeWhole(file(), started);
  recorder.kill('SIGCONT');
  await until(() => shown === 'up\n' || attached.exitCode !== null);
  recorder.stdin!.end('over\n');
  expect(await ended).toMatchObject({ code: 0, stdout: 'up\n', stderr: expect.stringContaining('the run has ended') });
  expect((await left).code).toBe(0);
});

test('attach ends when the recorder of the run is killed', async () => {
  const box = sandbox();
  const recorder = box.start(['run', '--', 'sleep', '319']);
  const gone = once(recorder, 'exit');
  const record = () =>
    JSON.parse(fs.readFileSync(path.join(box.home, 'runs', box.runIds()[0]!, '.run.json'), 'utf8')) as RunRecord;
  await expect.poll(() => box.runIds().length === 1 && record().live?.child).toBeTruthy();
  const attached = box.start(['attach', 'last', '--read-only']);
  const ended = finished(attached);
  await until(() => isWatching(attached));
  recorder.kill('SIGKILL');
  await gone;
  expect((await ended).stderr).toContain('the run has ended');
  expect((await box.tacho(['recover'])).stdout).toContain('completed the record');
});
