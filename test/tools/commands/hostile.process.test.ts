import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { probeBubblewrap } from '../../../src/sandbox/index.ts';
import { removeFolder } from '../../support/tacho.ts';
import { type HostileStage, type HostileWays, RESTRICTED_WAYS, WAYS, WAYS_ON_STAGE } from './hostile-ways.ts';
import { folderOnDisk, openIn } from './opened.ts';

const works = 'program' in (await probeBubblewrap('off'));
const servers = [net.createServer((socket) => socket.end()), net.createServer((socket) => socket.end())];
const abstract = `tacho-test-${process.pid}`;
let port = 0;
let around = '';
let stage: HostileStage;

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

beforeEach(setTheStage);
afterEach(() => removeFolder(around));

function setTheStage(): void {
  around = folderOnDisk();
  const at = (name: string) => path.join(around, name);
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), text);
  };
  for (const name of ['workspace', 'workspace/inner/deep', 'workspace/bare-hooks']) {
    execFileSync('git', ['init', '-q', at(name)]);
    write(`${name}/.git/hooks/sample`, '#!/bin/sh\n');
  }
  execFileSync('git', ['init', '-q', '--bare', at('workspace/bare.git')]);
  fs.rmSync(at('workspace/bare-hooks/.git/hooks'), { recursive: true });
  write('workspace/.tacho/runs/r1/events.jsonl', 'log');
  write('workspace/.tacho/runs/r1/vault/key', 'vault');
  write('workspace/.tacho/skills/review/SKILL.md', 'a skill');
  write('workspace/inner/.tacho/runtime/server.json', 'secret');
  for (const name of ['policy.yaml', '.bashrc', '.env']) write(`workspace/${name}`, '# kept\n');
  write('sibling/file', 'sibling');
  write('home/.ssh/id_ed25519', 'key');
  write('home/.aws/credentials', 'key');
  write('home/notes', 'notes');
  write('data/keys/seal.ed25519.pem', 'key');
  const [workspace, sibling, home, data] = ['workspace', 'sibling', 'home', 'data'].map(at) as [
    string,
    string,
    string,
    string,
  ];
  stage = { workspace, sibling, home, data, port, abstract, pid: process.pid };
}

/** Everything that a program must not change, with its content and mode. */
function protectedFiles(): Record<string, string> {
  const roots = ['sibling', 'home', 'data', 'workspace/.tacho', 'workspace/inner', 'workspace/bare.git/hooks'];
  const more = ['workspace/.git/hooks', 'workspace/.git/config', 'workspace/bare-hooks/.git'];
  const files = ['policy.yaml', '.bashrc', '.env'].map((name) => `workspace/${name}`);
  const kept: Record<string, string> = {};
  const visit = (name: string): void => {
    const file = path.join(around, name);
    const stat = fs.lstatSync(file);
    if (stat.isDirectory()) for (const inner of fs.readdirSync(file)) visit(`${name}/${inner}`);
    kept[name] = `${stat.mode.toString(8)} ${stat.isFile() ? fs.readFileSync(file, 'utf8') : ''}`;
  };
  for (const name of [...roots, ...more, ...files]) visit(name);
  return kept;
}

async function tryAll(ways: HostileWays, profile: 'dev' | 'balanced' | 'prod'): Promise<string[]> {
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
    removeFolder(around);
    setTheStage();
    const { bash } = await openIn(stage.workspace, 'none', { home: stage.home });
    const { stdout } = await bash(`{ ${script(stage)}\n} 2>/dev/null`);
    if (!stdout.toString().includes('ESCAPED')) failed.push(way);
  }
  expect(failed).toEqual([]);
});

test('a repository that appears between two commands is guarded in the second one', async () => {
  if (!works) return;
  const { workspace } = stage;
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
  const { bash } = await openIn(stage.workspace, 'prod');
  const { stdout } = await bash('cat .tacho/skills/review/SKILL.md; ls -A .tacho');
  expect(stdout.toString()).toBe('a skillskills\n');
});
