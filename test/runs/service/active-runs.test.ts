import { expect, test } from 'vitest';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { ActiveRuns } from '../../../src/runs/service/active-runs.ts';
import { makeRun } from '../../server/support/make-run.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const watches = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;

test('a record read after close is neither reported nor watched, so that the process can exit', async () => {
  const home = temporaryFolder();
  const { folder } = await makeRun(home, 'running');
  const before = watches();
  const reported: string[] = [];
  const active = new ActiveRuns(locateDataHome({}, home), {
    changed: ({ run_id }) => void reported.push(run_id),
    removed() {},
    failed() {},
  });
  active.open([]);
  active.poll();
  expect([reported, watches() - before]).toEqual([[folder.runId], 2]);
  active.close();
  expect(active.refresh(folder)).toMatchObject({ run_id: folder.runId });
  expect(reported).toEqual([folder.runId]);
  await expect.poll(() => watches() - before).toBe(0);
});
