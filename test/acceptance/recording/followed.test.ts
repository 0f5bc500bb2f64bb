import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { finished, isWatching, sandbox, until } from '../../support/tacho.ts';

test('events --follow prints the question of a run that then waits, and ends', async () => {
  const box = sandbox();
  const recorder = box.start(['run', 'codex', '--mode', 'interactive', '--', 'paint the door'], {
    env: fakeEngine('codex', 'codex-asks.mjs'),
  });
  const left = finished(recorder);
  await expect.poll(() => box.runIds().length).toBe(1);
  // The record comes after the first file of the journal.
  await expect.poll(() => fs.existsSync(path.join(box.home, 'runs', box.runIds()[0]!, '.run.json'))).toBe(true);
  const followed = await finished(box.start(['events', 'last', '--follow', '--json']));
  await left;
  const printed = followed.stdout.trimEnd().split('\n');
  expect(printed).toEqual(fs.readFileSync(path.join(box.audit(), 'events.jsonl'), 'utf8').trimEnd().split('\n'));
  expect(printed.at(-1)).toContain('"waiting_user"');
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
