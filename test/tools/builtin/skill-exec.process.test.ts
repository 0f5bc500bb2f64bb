import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtinTools, createRegistry, openCommands, type ToolContext } from '../../../src/tools/index.ts';
import { removeFolder } from '../../support/tacho.ts';
import { folderOnDisk } from '../commands/opened.ts';
import { call, contextFor, placeOf } from '../tool-context.ts';
import { skillLibrary } from './skill-library.ts';

const tools = builtinTools({ skills: true });

async function contextWith(env: Record<string, string> = {}): Promise<ToolContext> {
  const root = path.join(folderOnDisk(), 'workspace');
  onTestFinished(() => removeFolder(path.dirname(root)));
  fs.mkdirSync(root);
  const opened = await openCommands({ profile: 'balanced', workspaceRoot: root });
  if ('why' in opened) throw new Error(opened.why);
  return contextFor(root, { commands: opened.commands, skills: skillLibrary(), env });
}

function leftovers(): string[] {
  return fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('tacho-skill-'));
}

describe('skill_exec in a sandbox', () => {
  it('runs a script of the package in the workspace, with arguments, input and variables', async () => {
    const context = await contextWith({ NAME: 'name' });
    const before = leftovers();
    const value = { skill: '$[team].deploy', script: 'scripts/show.sh', args: ['a b; $(x)'], input: 'in\n' };
    const result = await call(tools, 'skill_exec', value, context);
    expect(result).toMatchObject({ ok: true, exit_code: 0, stderr: '' });
    expect(result.stdout).toBe(`1 a b; $(x) name\n${context.workspaceRoot}\nin\ndata\n`);
    expect(leftovers()).toEqual(before);
  });

  it('runs an executable file directly, and reports its exit code', async () => {
    const result = await call(tools, 'skill_exec', { skill: 'deploy', script: 'scripts/run' }, await contextWith());
    expect(result).toMatchObject({ ok: false, error_kind: 'exit_code', exit_code: 4, stdout: 'direct\n' });
  });

  it('lets a script read its package, but not change it', async () => {
    const value = { skill: 'deploy', script: 'scripts/change.sh' };
    const result = await call(tools, 'skill_exec', value, await contextWith());
    expect(result).toMatchObject({ ok: false, error_kind: 'exit_code' });
    expect(result.stderr).toContain('Read-only file system');
  });

  it('wants the variables of the skill', async () => {
    const value = { skill: 'needy', script: 'run.sh' };
    const without = await call(tools, 'skill_exec', value, await contextWith());
    expect(without).toMatchObject({ ok: false, error_kind: 'unavailable', data: { code: 'SKILL_ENV_MISSING' } });
    const given = await call(tools, 'skill_exec', { ...value, env: { TOKEN: 'given' } }, await contextWith());
    expect(given).toMatchObject({ ok: true, stdout: 'given\n' });
  });

  it.each([
    ['a path out of the package', '../../etc/passwd', 'not_found'],
    ['an absolute path', '/bin/sh', 'not_found'],
    ['a script that is missing', 'scripts/other.sh', 'not_found'],
    ['a file that nothing runs', 'scripts/plain', 'not_permitted'],
  ])('refuses %s', async (_, script, kind) => {
    const before = leftovers();
    const result = await call(tools, 'skill_exec', { skill: 'deploy', script }, await contextWith());
    expect(result).toMatchObject({ ok: false, error_kind: kind });
    expect(leftovers()).toEqual(before);
  });

  it('is judged by its own name, not by that of the script', async () => {
    const value = { skill: 'deploy', script: 'scripts/ls', args: ['-l'], env: { TOKEN: 'secret' } };
    const prepared = await createRegistry(tools).prepare('skill_exec', value, placeOf('/workspace'));
    expect(prepared).toMatchObject({
      logged: { env: ['TOKEN'] },
      actions: [{ kind: 'program', argv: ['skill_exec', 'deploy', 'scripts/ls', '-l'], cwd: '/workspace' }],
    });
  });
});
