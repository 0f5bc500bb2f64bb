import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createRunFolder, findRun } from '../../src/recording/index.ts';
import { temporaryFolder } from '../support/tacho.ts';

function runsRoot(...ids: string[]): string {
  const root = temporaryFolder();
  for (const id of ids) fs.mkdirSync(path.join(root, id));
  return root;
}

test('a handle that looks like a date selects the run with that handle, not the runs of that day', () => {
  const [one, other] = ['20261115T080000-text-3f2a9c1b', '20261115T080001-text-20261115'];
  expect(findRun(runsRoot(one, other), '20261115').runId).toBe(other);
  expect(() => findRun(runsRoot(one), '20261115')).toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }));
  expect(findRun(runsRoot(one), '20261115T').runId).toBe(one);
  expect(findRun(runsRoot(one), '3f2a').runId).toBe(one);
});

test('`last` is the run that was started last, also if the clock was set back', () => {
  const root = path.join(temporaryFolder(), 'runs');
  const later = createRunFolder(root, 'text', { now: new Date('2030-01-01T00:00:00Z') });
  const earlier = createRunFolder(root, 'text', { now: new Date('2026-01-01T00:00:00Z') });
  expect(findRun(root, 'last').runId).toBe(earlier.runId);
  fs.rmSync(earlier.path, { recursive: true });
  expect(findRun(root, 'last').runId).toBe(later.runId);
});

test('`last` does not follow links that lead elsewhere', () => {
  const root = path.join(temporaryFolder(), 'runs');
  const { runId } = createRunFolder(root, 'text');
  const link = path.join(path.dirname(root), 'last');
  fs.rmSync(link);
  fs.symlinkSync('/etc', link);
  expect(findRun(root, 'last').runId).toBe(runId);
});

test('`last~1` is the run before the last one, and so on back to the first', () => {
  const [one, two, three] = ['08', '09', '10'].map((hour) => `20261115T${hour}0000-text-3f2a9c1b`);
  const root = runsRoot(one!, two!, three!);
  const found = ['last', 'last~0', 'last~1', 'last~2'].map((selector) => findRun(root, selector).runId);
  expect(found).toEqual([three, three, two, one]);
  for (const selector of ['last~3', 'last~', 'last~-1', 'last~x']) {
    expect(() => findRun(root, selector)).toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }));
  }
  expect(() => findRun(runsRoot(), 'last')).toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }));
});
