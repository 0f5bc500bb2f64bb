import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandboxRequestSchema } from '../../src/protocol/terminal/index.ts';
import { findGuarded } from '../../src/sandbox/guarded-paths.ts';
import { lookAt } from '../../src/sandbox/look.ts';
import {
  EXCLUDE_PLACES,
  findPlaces,
  holdPlaces,
  isPlaceholderEntry,
  releasePlaces,
  TACHO_PLACES,
} from '../../src/sandbox/placeholders.ts';
import { type Place, planSandbox } from '../../src/sandbox/plan.ts';
import { projectRoot, temporaryFolder } from '../support/tacho.ts';

function folderWith(...files: string[]): string {
  const root = fs.realpathSync(temporaryFolder());
  for (const file of files) {
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), 'x');
  }
  return root;
}

function plan(workspace: string, more: Partial<Place> & { request?: object }) {
  const place = { workspace, cwd: workspace, environment: {}, ...more };
  return planSandbox(sandboxRequestSchema.parse(more.request ?? {}), place, lookAt);
}

test('daemons, data folders and repositories are found at any depth of a folder', () => {
  const root = folderWith('a/.tacho/runtime/server.json', 'a/b/keys/seal.ed25519.pem', 'a/c/.git/config', 'd/.git');
  const { hidden, fixed } = findGuarded(root);
  expect(hidden).toEqual([path.join(root, 'a/.tacho/runtime'), path.join(root, 'a/b')]);
  expect(fixed).toEqual(expect.arrayContaining([path.join(root, 'a/c/.git/config'), path.join(root, 'd/.git')]));
  expect(fixed).not.toContain(path.join(root, 'd/.git/config'));
});

test('a data folder is always hidden, except for the working folder of a run', () => {
  const root = folderWith('data/keys/seal', 'data/runs/one/work/file', 'data/runs/one/.audit/meta.1.json');
  const dataFolder = path.join(root, 'data');
  const planned = plan(root, { dataFolder });
  if ('why' in planned) throw new Error(planned.why);
  expect(planned.plan.mounts).toContainEqual({ path: dataFolder, shows: 'empty', writable: false });
  for (const item of [dataFolder, `${dataFolder}/keys`, `${dataFolder}/runs/one/work`]) {
    expect(plan(root, { dataFolder, request: { read: [item] } })).toMatchObject({
      why: expect.stringContaining('never shown'),
    });
  }
  for (const item of ['runs', 'runs/one', 'runs/one/.audit', 'keys']) {
    expect(plan(path.join(dataFolder, item), { dataFolder })).toMatchObject({
      why: expect.stringContaining('never shown'),
    });
  }
  const work = path.join(dataFolder, 'runs/one/work');
  const working = plan(work, { dataFolder, request: { read: [root] } });
  if ('why' in working) throw new Error(working.why);
  const shown = working.plan.mounts.filter((mount) => mount.path.startsWith(dataFolder));
  expect(shown.map(({ path, shows }) => [path, shows])).toEqual([
    [dataFolder, 'empty'],
    [work, 'host'],
  ]);
});

test('protected paths are read-only unless explicitly requested; a link in their place is refused', () => {
  const root = folderWith('.git/config', '.git/hooks/sample', 'evil/sample');
  const { fixed } = findGuarded(root);
  const writable = (request: object) => {
    const planned = plan(root, { fixed, request });
    if ('why' in planned) throw new Error(planned.why);
    const inside = planned.plan.mounts.filter((mount) => mount.shows === 'host' && mount.path.startsWith(root));
    return inside.map((mount) => [path.relative(root, mount.path), mount.shows === 'host' && mount.writable]);
  };
  expect(writable({})).toEqual([
    ['', true],
    ['.git', true],
    ['.git/config', false],
    ['.git/hooks', false],
  ]);
  expect(writable({ write: [path.join(root, '.git/hooks')] })).toContainEqual(['.git/hooks', true]);
  fs.rmSync(path.join(root, '.git/hooks'), { recursive: true });
  fs.symlinkSync('../evil', path.join(root, '.git/hooks'));
  expect(plan(root, { fixed })).toMatchObject({ why: expect.stringContaining('link') });
  expect(plan(root, { fixed, request: { workspace: 'read' } })).toHaveProperty('plan');
});

test('placeholders for missing files are harmless, and removed with their last user', () => {
  const root = folderWith('.env');
  execFileSync('git', ['init', '-q', root]);
  fs.rmSync(path.join(root, '.git/hooks'), { recursive: true });
  const before = fs.readdirSync(root);
  const [first, second] = [holdPlaces(root), holdPlaces(root)];
  expect(first.map((place) => path.relative(root, place))).toEqual([
    '.git/hooks',
    '.git/commondir',
    '.npmrc',
    '.yarnrc.yml',
  ]);
  expect(second).toEqual(first);
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words]);
  git('add', '.env');
  git('commit', '-qm', 'first');
  expect(git('log', '--format=%s').toString()).toBe('first\n');
  releasePlaces(first);
  expect(fs.existsSync(path.join(root, '.npmrc'))).toBe(true);
  fs.writeFileSync(path.join(root, '.yarnrc.yml'), 'used: now\n');
  releasePlaces(second);
  const left = fs.readdirSync(root).filter((name) => !before.includes(name));
  expect(left).toEqual(['.yarnrc.yml']);
  expect(['hooks', 'commondir'].filter((name) => fs.existsSync(path.join(root, '.git', name)))).toEqual([]);
});

test('files of the user are never removed, even if they look like placeholders', () => {
  const root = folderWith('.git/HEAD', 'config/other');
  fs.writeFileSync(path.join(root, '.env'), '');
  fs.mkdirSync(path.join(root, '.git/hooks'));
  const before = fs.readdirSync(root, { recursive: true }).sort();
  releasePlaces(holdPlaces(root));
  releasePlaces(holdPlaces(root, [...TACHO_PLACES, ...EXCLUDE_PLACES]));
  expect(fs.readdirSync(root, { recursive: true }).sort()).toEqual(before);
});

test('placeholders that a killed process left are found, and removed by the next one', () => {
  const root = folderWith('file');
  const script = `const { holdPlaces } = await import('${new URL('../../src/sandbox/placeholders.ts', import.meta.url)}'); holdPlaces('${root}', ${JSON.stringify([...TACHO_PLACES, '.env'])}); process.kill(process.pid, 'SIGKILL');`;
  try {
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { cwd: projectRoot });
  } catch {
    // Killed.
  }
  const names = findPlaces(root).map((place) => path.relative(root, place));
  expect(names.sort()).toEqual(['.env', '.tacho', 'config', 'config/tacho.yaml']);
  const stats = names.map((name) => [name, fs.lstatSync(path.join(root, name), { bigint: true })] as const);
  expect(stats.every(([name, stat]) => isPlaceholderEntry(name, stat))).toBe(true);
  expect(isPlaceholderEntry('file', fs.lstatSync(path.join(root, 'file'), { bigint: true }))).toBe(false);
  releasePlaces(holdPlaces(root, [...TACHO_PLACES, '.env']));
  expect(fs.readdirSync(root)).toEqual(['file']);
});
