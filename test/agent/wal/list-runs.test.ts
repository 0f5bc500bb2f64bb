import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listAgentRuns } from '../../../src/agent/wal/index.ts';
import { emptyWorkspace, message, newWal } from './workspace.ts';

test('a workspace without runs has none', async () => {
  const workspace = emptyWorkspace();
  expect(await listAgentRuns(workspace)).toEqual([]);
  expect(await listAgentRuns(join(workspace, 'missing'))).toEqual([]);
  writeFileSync(join(workspace, '.tacho'), 'a file');
  expect(await listAgentRuns(workspace)).toEqual([]);
});

test('runs are listed with their first and last event, the newest first', async () => {
  const workspace = emptyWorkspace();
  const first = await newWal(workspace, { runId: 'first' });
  await first.append([message('a', 1000), message('long '.repeat(100_000), 2000)]);
  await first.close();
  const second = await newWal(workspace, { runId: 'second' });
  await second.append(message('b', 3000));
  const third = await newWal(workspace, { runId: 'third' });
  const at = (ms: number) => new Date(ms).toISOString();
  expect(await listAgentRuns(workspace)).toEqual([
    {
      run_id: 'second',
      locator: second.locator,
      started_at: at(3000),
      parent: null,
      last: { seq: 1, ts: at(3000), type: 'user_message' },
      waits_for: null,
      held: true,
      problem: null,
    },
    {
      run_id: 'first',
      locator: first.locator,
      started_at: at(1000),
      parent: null,
      last: { seq: 2, ts: at(2000), type: 'user_message' },
      waits_for: null,
      held: false,
      problem: null,
    },
    {
      run_id: 'third',
      locator: third.locator,
      started_at: null,
      parent: null,
      last: null,
      waits_for: null,
      held: true,
      problem: null,
    },
  ]);
});

test('damaged and foreign entries are named, or left out, and do no harm', async () => {
  const workspace = emptyWorkspace();
  const wal = await newWal(workspace, { runId: 'whole' });
  await wal.append(message('a'));
  await wal.close();
  const runs = join(workspace, '.tacho/runs');
  const inRun = (name: string, content: string) => {
    mkdirSync(join(runs, name));
    writeFileSync(join(runs, name, 'events.jsonl'), content);
  };
  const log = readFileSync(wal.locator, 'utf8');
  inRun('torn', log.replace('whole', 'torn').slice(0, 50));
  inRun('garbage', '\0\0\n\0');
  inRun('other-json', '{"a":1}\n');
  inRun('other-run', log);
  inRun('long', 'x'.repeat(17 * 1024 * 1024));
  mkdirSync(join(runs, 'empty'));
  mkdirSync(join(runs, 'folder/events.jsonl'), { recursive: true });
  mkdirSync(join(runs, 'linked-log'));
  symlinkSync(wal.locator, join(runs, 'linked-log/events.jsonl'));
  symlinkSync(wal.folder, join(runs, 'linked'));
  writeFileSync(join(runs, 'file'), '');
  mkdirSync(join(runs, '.hidden'));
  const found = await listAgentRuns(workspace);
  expect(Object.fromEntries(found.map(({ run_id, problem }) => [run_id, problem]))).toEqual({
    whole: null,
    torn: null,
    garbage: 'the log is not that of this run',
    'other-json': 'the log is not that of this run',
    'other-run': 'the log is not that of this run',
    long: 'the log has a line that is too long',
    empty: 'there is no log',
    folder: 'the log cannot be read (EINVAL)',
    'linked-log': 'the log cannot be read (ELOOP)',
  });
  expect(found.find(({ run_id }) => run_id === 'torn')!.last).toBe(null);
});

test('no link in place of the folder of runs is followed', async () => {
  const workspace = emptyWorkspace();
  const wal = await newWal(workspace);
  await wal.append(message('a'));
  await wal.close();
  const other = emptyWorkspace();
  symlinkSync(join(workspace, '.tacho'), join(other, '.tacho'));
  expect(await listAgentRuns(other)).toEqual([]);
  rmSync(join(other, '.tacho'));
  cpSync(join(workspace, '.tacho'), join(other, '.tacho'), { recursive: true });
  expect(await listAgentRuns(other)).toHaveLength(1);
});
