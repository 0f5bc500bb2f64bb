import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findRun } from '../../src/recording/index.ts';
import { temporaryFolder } from '../support/tacho.ts';

function runsRoot(...ids: string[]): string {
  const root = temporaryFolder();
  for (const id of ids) fs.mkdirSync(path.join(root, id));
  return root;
}

test('a handle that reads like a date means the run of that handle, never the runs of that day', () => {
  const [one, other] = ['20261115T080000-text-3f2a9c1b', '20261115T080001-text-20261115'];
  expect(findRun(runsRoot(one, other), '20261115').runId).toBe(other);
  expect(() => findRun(runsRoot(one), '20261115')).toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }));
  expect(findRun(runsRoot(one), '20261115T').runId).toBe(one);
  expect(findRun(runsRoot(one), '3f2a').runId).toBe(one);
});
