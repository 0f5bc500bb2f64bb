import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { listAgentRuns } from '../../../src/agent/wal/index.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { startFile } from '../../journal/workspace.ts';
import { carryOut, testAgent } from '../../support/agent.ts';
import { proofSize } from '../../support/proof-size.ts';
import { eventsOf, newFolder } from './forks.ts';
import { treeOf } from './tree.ts';

const program = fileURLToPath(new URL('./programs/fork-killed.ts', import.meta.url));

it('a fork killed at any moment leaves the run as it was, and no half run', async () => {
  const script = [
    call('file_write', { path: 'a/b/c.txt', content: 'one' }),
    call('file_write', { path: 'a/b/c.txt', content: 'two' }),
    call('file_write', { path: 'd.txt', content: 'x'.repeat(1000) }),
    say('Done.'),
  ];
  const parts = testAgent({ script, tools: builtinTools({ names: ['file_write'] }) });
  const root = parts.options.workspaceRoot;
  fs.symlinkSync('d.txt', path.join(root, 'link'));
  const { events, result } = await carryOut(parts);
  const at = events.findIndex(({ type }) => type === 'tool_call_finished') + 1;
  const tree = treeOf(root);
  const fork = async (into: string, ...killAt: string[]) => {
    const child = startFile(program, [root, result.run_id, String(at), into, ...killAt]);
    const line = await child.nextLine();
    await child.exited;
    return line === null ? null : (JSON.parse(line) as { calls: number });
  };
  const whole = newFolder();
  const { calls } = (await fork(whole))!;
  const expected = await eventsOf(path.join(whole, '.tacho/runs/the-fork/events.jsonl'));
  expect(expected).toHaveLength(at + 1);
  const points = Array.from({ length: calls }, (_, index) => index + 1);
  let complete = 0;
  for (const point of proofSize({ small: points.filter((n) => n % 9 === 1 || n > calls - 3), full: points })) {
    const into = newFolder();
    expect(await fork(into, String(point)), `killed at ${point} of ${calls}`).toBeNull();
    expect(treeOf(root)).toEqual(tree);
    expect((await eventsOf(path.join(root, '.tacho/runs', result.run_id, 'events.jsonl'))).length).toBe(events.length);
    const runs = fs.existsSync(into) ? await listAgentRuns(into) : [];
    if (runs.length === 0) continue;
    // It was killed after the run had appeared, so all of it is there.
    complete++;
    expect(runs).toMatchObject([{ run_id: 'the-fork', problem: null, last: { seq: at + 1 } }]);
    expect(treeOf(into)).toEqual(treeOf(whole));
    expect(await eventsOf(path.join(into, '.tacho/runs/the-fork/events.jsonl'))).toHaveLength(at + 1);
  }
  expect(complete).toBeLessThanOrEqual(2);
});
