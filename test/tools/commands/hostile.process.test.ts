import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { probeBubblewrap } from '../../../src/sandbox/index.ts';
import { removeFolder } from '../../support/tacho.ts';
import { type Staged, setTheStage } from './hostile-stage.ts';
import { type HostileWays, RESTRICTED_WAYS, WAYS, WAYS_ON_STAGE } from './hostile-ways.ts';
import { openIn } from './opened.ts';

const works = 'program' in (await probeBubblewrap('off'));
const servers = [net.createServer((socket) => socket.end()), net.createServer((socket) => socket.end())];
const abstract = `tacho-test-${process.pid}`;
let port = 0;
let staged: Staged;

beforeAll(async () => {
  await new Promise<void>((resolve) => void servers[0]!.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => void servers[1]!.listen(`\0${abstract}`, resolve));
  port = (servers[0]!.address() as net.AddressInfo).port;
  process.env.HOST_SECRET = 'HOST_SECRET of the test';
});
afterAll(() => {
  for (const server of servers) server.close();
  delete process.env.HOST_SECRET;
});

beforeEach(() => {
  staged = setTheStage({ port, abstract, pid: process.pid });
});
afterEach(() => removeFolder(staged.around));

async function tryAll(ways: HostileWays, profile: 'dev' | 'balanced' | 'prod'): Promise<string[]> {
  const { around, stage, protectedFiles } = staged;
  const { workspace, home, data } = stage;
  const options = { home, dataFolder: data, fixed: [path.join(workspace, 'policy.yaml')] };
  const { bash } = await openIn(workspace, profile, options);
  const escaped: string[] = [];
  for (const [way, script] of Object.entries(ways)) {
    const before = protectedFiles();
    const { stdout } = await bash(`{ ${script(stage)}\n} 2>/dev/null`);
    if (stdout.toString().includes('ESCAPED')) escaped.push(way);
    if (JSON.stringify(protectedFiles()) !== JSON.stringify(before)) escaped.push(`${way}: changed files outside`);
    if (fs.existsSync(path.join(workspace, 'config'))) escaped.push(`${way}: left a configuration`);
  }
  expect(fs.readdirSync(around).sort()).toEqual(['data', 'home', 'sibling', 'workspace']);
  return escaped;
}

test('a hostile program does not get out of the profile balanced', async () => {
  if (works) expect(await tryAll({ ...WAYS, ...RESTRICTED_WAYS }, 'balanced')).toEqual([]);
});

test('a hostile program does not get out of the profile prod', async () => {
  if (works) expect(await tryAll({ ...WAYS, ...RESTRICTED_WAYS }, 'prod')).toEqual([]);
});

test('a hostile program does not change anything outside of the profile dev, nor read secrets', async () => {
  if (works) expect(await tryAll(WAYS, 'dev')).toEqual([]);
});

test('the ways of the hostile program succeed without a sandbox', async () => {
  const failed: string[] = [];
  for (const [way, script] of Object.entries(WAYS_ON_STAGE)) {
    removeFolder(staged.around);
    staged = setTheStage({ port, abstract, pid: process.pid });
    const { stage } = staged;
    const { bash } = await openIn(stage.workspace, 'none', { home: stage.home });
    const { stdout } = await bash(`{ ${script(stage)}\n} 2>/dev/null`);
    if (!stdout.toString().includes('ESCAPED')) failed.push(way);
  }
  expect(failed).toEqual([]);
});

test('a repository that appears between two commands is guarded in the second one', async () => {
  if (!works) return;
  const { workspace } = staged.stage;
  const { bash } = await openIn(workspace, 'balanced');
  expect((await bash('git init -q new && mkdir -p a/b && echo made')).stdout.toString()).toBe('made\n');
  const script = `{ echo evil >new/.git/hooks/pre-commit; } 2>/dev/null && echo ESCAPED; mv new old 2>/dev/null && echo MOVED; true`;
  expect((await bash(script)).stdout.toString()).toBe('');
  // Its time is set back, as if nothing had happened.
  fs.mkdirSync(path.join(workspace, 'a/b/.git/hooks'), { recursive: true });
  fs.utimesSync(path.join(workspace, 'a/b'), 0, 0);
  fs.writeFileSync(path.join(workspace, '.gdbinit'), '');
  const later = `for file in a/b/.git/hooks/pre-commit .gdbinit; do { echo evil >$file; } 2>/dev/null && echo ESCAPED; done; true`;
  expect((await bash(later)).stdout.toString()).toBe('');
});

test('the skills of a project are readable', async () => {
  if (!works) return;
  const { bash } = await openIn(staged.stage.workspace, 'prod');
  const { stdout } = await bash('cat .tacho/skills/review/SKILL.md; ls -A .tacho');
  expect(stdout.toString()).toBe('a skillskills\n');
});
