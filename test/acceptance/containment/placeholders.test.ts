import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { probeBubblewrap } from '../../../src/sandbox/index.ts';
import { removeFolder, until } from '../../support/tacho.ts';
import { folderOnDisk, openIn } from '../../tools/commands/opened.ts';
import { type DaemonUnderTest, daemonOf } from '../runtime/daemon.ts';

const works = 'program' in (await probeBubblewrap('off'));
const WAIT_FOR = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
const ATTACK = '{ mkdir -p config; echo evil >config/tacho.yaml; } 2>/dev/null && echo ESCAPED; echo tried';

/** A workspace whose daemon and whose commands are in different processes. */
function workspaceWithDaemon(): DaemonUnderTest {
  const workspace = path.join(folderOnDisk(), 'workspace');
  fs.mkdirSync(path.join(workspace, 'config'), { recursive: true });
  onTestFinished(() => removeFolder(path.dirname(workspace)));
  return daemonOf(workspace);
}

test('a file that must not be created stays protected for a command when a session of another process ends', async () => {
  if (!works) return;
  const { workspace, client } = workspaceWithDaemon();
  const runtime = client();
  const { session_id } = await runtime.call('session.create', { sandbox: {} });
  const { bash } = await openIn(workspace, 'balanced');
  const running = bash(`touch began; ${WAIT_FOR('go')}; ${ATTACK}`);
  await until(() => fs.existsSync(path.join(workspace, 'began')));
  await runtime.call('session.destroy', { session_id });
  fs.writeFileSync(path.join(workspace, 'go'), '');
  expect((await running).stdout.toString()).toBe('tried\n');
  expect(fs.readdirSync(path.join(workspace, 'config'))).toEqual([]);
});

test('and for a session when a command of another process ends', async () => {
  if (!works) return;
  const { workspace, client } = workspaceWithDaemon();
  const runtime = client();
  const { bash } = await openIn(workspace, 'balanced');
  const running = bash(`touch began; ${WAIT_FOR('go')}`);
  await until(() => fs.existsSync(path.join(workspace, 'began')));
  const { session_id } = await runtime.call('session.create', { sandbox: {} });
  fs.writeFileSync(path.join(workspace, 'go'), '');
  expect(await running).toMatchObject({ exitCode: 0 });
  const { stdout } = await runtime.call('exec.run', { session_id, command: ATTACK });
  expect(stdout.data).toBe('tried\n');
  await runtime.call('session.destroy', { session_id });
  expect(fs.readdirSync(path.join(workspace, 'config'))).toEqual([]);
});

test('git adds no placeholder that a session of another process holds', async () => {
  if (!works) return;
  const { workspace, client } = workspaceWithDaemon();
  execFileSync('git', ['init', '-q', workspace]);
  const runtime = client();
  const { session_id } = await runtime.call('session.create', { sandbox: {} });
  fs.writeFileSync(path.join(workspace, 'file'), 'content');
  const { bash } = await openIn(workspace, 'balanced');
  const { stdout } = await bash('git add -A && git ls-files');
  expect(stdout.toString()).toBe('file\n');
  await runtime.call('session.destroy', { session_id });
  expect(fs.readdirSync(workspace).sort()).toEqual(['.git', '.tacho', 'config', 'file']);
});
