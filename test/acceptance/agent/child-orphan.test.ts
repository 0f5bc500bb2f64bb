import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readRunFacts } from '../../../src/agent/children/run-facts.ts';
import { listAgentRuns } from '../../../src/agent/wal/index.ts';
import { crashPlace, LINES, PARENT, startParent, TEXT } from './child-crash-driver.ts';

it('a child ends its work after the death of its parent, which gets the result when it is resumed', async () => {
  const place = await crashPlace();
  const parent = startParent('start', place);
  const children = async () => {
    const runs = await listAgentRuns(place.workspace);
    return runs.filter(({ parent: link, last }) => link !== null && (last?.seq ?? 0) > 2);
  };
  await expect.poll(async () => (await children()).length).toBe(1);
  parent.child.kill('SIGKILL');
  expect(await parent.outcome).toEqual({ status: 'killed' });
  const [child] = await children();
  await expect.poll(async () => (await readRunFacts(place.workspace, child!.run_id))?.status).toBe('completed');
  expect(fs.readFileSync(path.join(place.workspace, 'lines.txt'), 'utf8')).toBe(LINES);

  expect(await startParent('resume', place).outcome).toMatchObject({ status: 'completed', text: TEXT });
  expect(await readRunFacts(place.workspace, PARENT)).toMatchObject({
    children: [{ run_id: child!.run_id, steps: 3 }],
  });
  expect(fs.readFileSync(path.join(place.workspace, 'lines.txt'), 'utf8')).toBe(LINES);
});
