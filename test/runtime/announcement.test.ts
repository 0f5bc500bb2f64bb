import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readProcessStat } from '../../src/files/index.ts';
import {
  announceDaemon,
  findDaemon,
  listDaemons,
  renewAnnouncement,
  withdrawDaemon,
  workspaceId,
} from '../../src/runtime/daemon/announcement.ts';
import { locateRuntime, prepareRuntime } from '../../src/runtime/daemon/runtime-folder.ts';
import { writeServerFile } from '../../src/runtime/daemon/server-file.ts';
import { startTacho } from '../acceptance/runtime/daemon.ts';
import { temporaryFolder } from '../support/tacho.ts';

/** A workspace that claims to be served by this process. */
function servedWorkspace(pid = process.pid, start_time = readProcessStat(pid)!.startTime) {
  const folder = locateRuntime(temporaryFolder());
  prepareRuntime(folder);
  writeServerFile(folder, { pid, start_time, secret: 's', socket_path: folder.socket, created_at_ms: 0 });
  return folder;
}

test('daemons are listed while they are announced, in a private folder', () => {
  const place = path.join(temporaryFolder(), 'data', 'runtimes');
  expect(listDaemons(place)).toEqual([]);
  const [one, other] = [servedWorkspace(), servedWorkspace()];
  announceDaemon(place, one);
  announceDaemon(place, other);
  const id = workspaceId(one.workspace);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(
    listDaemons(place)
      .map(({ workspace }) => workspace)
      .sort(),
  ).toEqual([one.workspace, other.workspace].sort());
  expect(findDaemon(place, id)).toEqual({ id, workspace: one.workspace });
  expect(fs.statSync(place).mode & 0o777).toBe(0o700);
  expect(fs.statSync(path.join(place, `${id}.json`)).mode & 0o777).toBe(0o600);
  withdrawDaemon(place, one);
  expect(listDaemons(place).map(({ workspace }) => workspace)).toEqual([other.workspace]);
});

test('the announcement of a killed daemon is removed by the next reader', async () => {
  const place = path.join(temporaryFolder(), 'runtimes');
  const child = spawn('sleep', ['60']);
  const folder = servedWorkspace(child.pid);
  announceDaemon(place, folder);
  expect(listDaemons(place)).toHaveLength(1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(listDaemons(place)).toEqual([]);
  expect(fs.readdirSync(place)).toEqual([]);
  // The same pid, but another process.
  announceDaemon(place, servedWorkspace(process.pid, '1'));
  expect(listDaemons(place)).toEqual([]);
  expect(fs.readdirSync(place)).toEqual([]);
});

test('only an announcement by the daemon itself counts, and that of another is not withdrawn', () => {
  const place = path.join(temporaryFolder(), 'runtimes');
  const folder = servedWorkspace(1);
  announceDaemon(place, folder);
  withdrawDaemon(place, folder);
  expect(listDaemons(place)).toHaveLength(1);
  const said = fs.readFileSync(path.join(place, `${workspaceId(folder.workspace)}.json`));
  fs.writeFileSync(path.join(place, `${'0'.repeat(16)}.json`), said);
  fs.writeFileSync(path.join(place, `${'1'.repeat(16)}.json`), '{');
  fs.writeFileSync(path.join(place, 'notes.txt'), 'x');
  expect(listDaemons(place)).toHaveLength(1);
  expect(fs.readdirSync(place)).toHaveLength(4);
  expect(findDaemon(place, '../../etc')).toBeNull();
});

test('a removed announcement is written again if the data folder exists', () => {
  const place = path.join(temporaryFolder(), 'runtimes');
  const folder = servedWorkspace();
  announceDaemon(place, folder);
  fs.rmSync(path.join(place, `${workspaceId(folder.workspace)}.json`));
  renewAnnouncement(place, folder);
  expect(listDaemons(place)).toHaveLength(1);
  fs.rmSync(place, { recursive: true });
  renewAnnouncement(place, folder);
  expect(fs.existsSync(place)).toBe(false);
});

test('a daemon whose data folder is not writable reports it and serves', async () => {
  const workspace = temporaryFolder();
  const daemon = startTacho(['runtime', 'serve', '--workspace', workspace, '--json'], {
    env: { TACHO_HOME: '/dev/null/tacho' },
  });
  const complaint = new Promise<string>((resolve) => daemon.stderr!.once('data', (bytes) => resolve(String(bytes))));
  const ready = new Promise<string>((resolve) => daemon.stdout!.once('data', (bytes) => resolve(String(bytes))));
  expect(await complaint).toMatch(/^not announced: \/dev\/null\/tacho\/runtimes cannot be written/);
  expect(JSON.parse(await ready)).toMatchObject({ workspace, pid: daemon.pid });
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
});
