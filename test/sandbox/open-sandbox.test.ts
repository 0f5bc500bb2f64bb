import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox, probeBubblewrap, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { sandboxProfile } from '../../src/sandbox/profile.ts';
import { ProfilePlans } from '../../src/sandbox/profile-plan.ts';
import { temporaryFolder } from '../support/tacho.ts';

const works = 'program' in (await probeBubblewrap('off'));

async function open(options: Partial<SandboxOptions> = {}): Promise<Sandbox & { workspace: string }> {
  const workspace = options.workspaceRoot ?? fs.realpathSync(temporaryFolder());
  const sandbox = await openSandbox({ profile: 'balanced', workspaceRoot: workspace, ...options });
  if ('why' in sandbox) throw new Error(sandbox.why);
  return { ...sandbox, workspace };
}

test('the posture says what is in effect, and is JSON', async () => {
  if (!works) return;
  const data = fs.realpathSync(temporaryFolder());
  const { posture, workspace } = await open({ dataFolder: data, read: [path.dirname(data)] });
  expect(posture).toMatchObject({
    profile: 'balanced',
    backend: 'bubblewrap',
    version: expect.stringMatching(/^\d+\.\d+/),
    network: 'off',
    view: 'restricted',
    repository: 'guarded',
    writable: [workspace],
    searched: { complete: true },
  });
  expect(posture.hidden).toEqual(expect.arrayContaining([path.join(workspace, '.tacho'), data]));
  expect(JSON.parse(JSON.stringify(posture))).toEqual(posture);
});

test('opening leaves the workspace as it was', async () => {
  if (!works) return;
  const { workspace } = await open();
  expect(fs.readdirSync(workspace)).toEqual([]);
});

test('without a sandbox the posture says so, and a network cannot be refused', async () => {
  const { posture, enter, workspace } = await open({ profile: 'none' });
  expect(posture).toMatchObject({ profile: 'none', backend: 'none', network: 'on', writable: ['/'] });
  expect(enter({ cwd: workspace, env: {} })).toMatchObject({ entry: null });
  await expect(open({ profile: 'none', network: 'off' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});

test('paths that are not absolute are rejected', async () => {
  await expect(openSandbox({ profile: 'dev', workspaceRoot: 'here' })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
  });
});

test('a workspace that cannot be protected makes the sandbox impossible', async () => {
  if (!works) return;
  const missing = path.join(temporaryFolder(), 'missing');
  expect(await openSandbox({ profile: 'dev', workspaceRoot: missing })).toEqual({ why: `${missing} is not a folder` });
  expect(await openSandbox({ profile: 'dev', workspaceRoot: '/' })).toHaveProperty('why');
  const data = fs.realpathSync(temporaryFolder());
  expect(await openSandbox({ profile: 'dev', workspaceRoot: data, dataFolder: data })).toEqual({
    why: expect.stringContaining('never shown'),
  });
});

test('variables are not part of the command line', async () => {
  if (!works) return;
  const { enter, workspace } = await open();
  const entered = enter({ cwd: workspace, env: { TOKEN: 'secret value' } });
  if ('why' in entered) throw new Error(entered.why);
  entered.leave();
  expect(entered.entry!.argv.join(' ')).not.toContain('secret value');
  expect(entered.entry!.reads[0]).toContain('--setenv\0TOKEN\0secret value\0');
});

test('a folder for one command must not uncover what is protected', async () => {
  if (!works) return;
  const { enter, workspace } = await open();
  const folder = fs.realpathSync(temporaryFolder());
  const entered = enter({ cwd: folder, env: {}, read: [folder] });
  expect(entered).toHaveProperty('entry');
  if ('leave' in entered) entered.leave();
  expect(enter({ cwd: workspace, env: {}, read: [path.dirname(workspace)] })).toHaveProperty('why');
  fs.symlinkSync('/etc', path.join(folder, 'link'));
  expect(enter({ cwd: workspace, env: {}, read: [path.join(folder, 'link')] })).toHaveProperty('why');
  expect(fs.readdirSync(workspace)).toEqual([]);
});

test('a plan is made again only if something to protect has changed', () => {
  const workspace = fs.realpathSync(temporaryFolder());
  execFileSync('git', ['init', '-q', workspace]);
  const place = { workspace, home: '/', hidden: [], read: [], write: [], fixed: [] };
  const plans = new ProfilePlans(sandboxProfile('balanced'), place);
  const next = () => {
    const planned = plans.next();
    if ('why' in planned) throw new Error(planned.why);
    return planned.plan.mounts.map((mount) => path.relative(workspace, mount.path));
  };
  next();
  fs.writeFileSync(path.join(workspace, 'file'), '');
  fs.mkdirSync(path.join(workspace, 'folder'));
  next();
  expect(plans.made).toBe(1);
  for (const [change, guarded] of [
    [() => fs.writeFileSync(path.join(workspace, '.envrc'), ''), '.envrc'],
    [() => execFileSync('git', ['init', '-q', path.join(workspace, 'folder/inner')]), 'folder/inner/.git/hooks'],
    [() => fs.mkdirSync(path.join(workspace, 'folder/.tacho')), 'folder/.tacho'],
  ] as const) {
    const before = plans.made;
    expect(next()).not.toContain(guarded);
    change();
    expect(next()).toContain(guarded);
    expect(plans.made).toBe(before + 1);
  }
});

test('a hidden folder that is gone does not make the sandbox impossible', async () => {
  if (!works) return;
  const folder = fs.realpathSync(temporaryFolder());
  const hidden = path.join(folder, 'hidden');
  fs.mkdirSync(hidden);
  const { enter, workspace } = await open({ read: [folder], hidden: [hidden] });
  const optionsOf = () => {
    const entered = enter({ cwd: workspace, env: {} });
    if ('why' in entered) throw new Error(entered.why);
    entered.leave();
    return entered.entry!.reads[0]!;
  };
  expect(optionsOf()).toContain(`--tmpfs\0${hidden}\0`);
  fs.rmdirSync(hidden);
  expect(optionsOf()).not.toContain(hidden);
});
