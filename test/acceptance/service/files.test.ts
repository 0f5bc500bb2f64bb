import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { NewRun } from '../../../src/client/index.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { until } from '../../support/tacho.ts';

const service = sharedService();

const FILES = [
  { path: 'kept.txt', text: 'as it was\n' },
  { path: 'deep/er/changed.txt', text: 'before\n' },
  { path: 'ключ 💥.md', text: '' },
];

test('files given with a run exist when its program starts, and are distinguished from the program’s own files', async () => {
  const { client, home } = service;
  const script = 'cat kept.txt; echo after > deep/er/changed.txt; echo new > own.txt';
  const { run_id } = await client.createRun({ command: ['sh', '-c', script], files: FILES });
  expect(await whenResting(client, run_id)).toMatchObject({ status: 'succeeded' });
  expect(fs.readFileSync(path.join(home, 'runs', run_id, '.audit/stdout.1.log'), 'utf8')).toBe('as it was\n');
  const { created } = await client.files(run_id);
  expect(created.map(({ path: name, injected = false }) => [name, injected])).toEqual([
    ['deep', true],
    ['deep/er', true],
    ['deep/er/changed.txt', false],
    ['kept.txt', true],
    ['own.txt', false],
    ['ключ 💥.md', true],
  ]);
  expect((await client.attempt(run_id, 1)).injected).toEqual(FILES.map(({ path: name }) => name));
  const artifacts = (await client.events(run_id, { type: 'artifact.created' })).events;
  expect(artifacts.map(({ data }) => (data as { path: string }).path)).toEqual(['deep/er/changed.txt', 'own.txt']);
  expect(await client.verify(run_id)).toMatchObject({ verdict: 'intact' });
});

test('given files are still distinguished after the supervisor was killed', async () => {
  const { run_id } = await service.client.createRun({ command: ['sleep', '424'], files: FILES.slice(0, 1) });
  await until(() => service.record(run_id).live?.child);
  process.kill(service.record(run_id).live!.supervisor.pid, 'SIGKILL');
  expect(await whenResting(service.client, run_id)).toMatchObject({ status: 'failed' });
  expect((await service.client.files(run_id)).created).toMatchObject([{ path: 'kept.txt', injected: true }]);
});

const REFUSED: [what: string, given: Partial<NewRun>][] = [
  ['a folder of the user', { cwd: '/tmp', files: FILES }],
  ['an absolute path', { files: [{ path: '/tmp/x', text: '' }] }],
  ['a path that leaves the folder', { files: [{ path: 'a/../../x', text: '' }] }],
  ['a path that names a folder', { files: [{ path: 'a/', text: '' }] }],
  ['the record', { files: [{ path: '.audit/events.jsonl', text: '' }] }],
  ['the run record', { files: [{ path: '.run.json', text: '' }] }],
  ['a path with a NUL', { files: [{ path: 'a\0b', text: '' }] }],
  ['a name that is too long', { files: [{ path: 'x'.repeat(256), text: '' }] }],
  ['one path twice', { files: [FILES[0]!, FILES[0]!] }],
  ['a path below a file', { files: [FILES[0]!, { path: 'kept.txt/x', text: '' }] }],
  ['too many', { files: Array.from({ length: 101 }, (_, n) => ({ path: `${n}`, text: '' })) }],
  ['too much', { files: [{ path: 'a', text: 'x'.repeat(900_001) }] }],
];

test('refuses files outside of the run’s own folder, and creates nothing', async () => {
  const { client, home } = service;
  const before = fs.readdirSync(path.join(home, 'runs'));
  for (const [what, given] of REFUSED) {
    const refused = expect(client.createRun({ command: ['true'], ...given }), what).rejects;
    await refused.toMatchObject({ code: 'INVALID_REQUEST' });
  }
  expect(fs.readdirSync(path.join(home, 'runs'))).toEqual(before);
});
