import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { probeBubblewrap, SANDBOX_PROFILES } from '../../../src/sandbox/index.ts';
import { openCommands } from '../../../src/tools/commands/index.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { openForTest } from './opened.ts';

const works = 'program' in (await probeBubblewrap('off'));

test.each(SANDBOX_PROFILES.filter((profile) => profile !== 'none'))(
  'without bubblewrap the profile %s is impossible, and there is nothing to run commands with',
  async (profile) => {
    const options = { profile, workspaceRoot: temporaryFolder(), backendPath: temporaryFolder() };
    expect(await openCommands(options)).toEqual({ why: 'bubblewrap is not installed (no bwrap on PATH)' });
  },
);

test('a bubblewrap that does not work makes the sandbox impossible', async () => {
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'bwrap'), '#!/bin/sh\necho "bwrap: no namespaces" >&2\nexit 1\n', { mode: 0o755 });
  expect(await openCommands({ profile: 'prod', workspaceRoot: folder, backendPath: folder })).toEqual({
    why: 'bubblewrap does not work here: bwrap: no namespaces',
  });
});

test('a bubblewrap that stops working denies the command, and nothing runs', async () => {
  if (!works) return;
  const folder = temporaryFolder();
  const real = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\n[ -e ${folder}/broken ] && { echo "bwrap: no namespaces" >&2; exit 1; }\nexec ${real} "$@"\n`;
  fs.writeFileSync(path.join(folder, 'bwrap'), script, { mode: 0o755 });
  const { outcome, run, workspace } = await openForTest('balanced', { backendPath: folder });
  expect(await run(['touch', 'first'])).toMatchObject({ exitCode: 0 });
  fs.writeFileSync(path.join(folder, 'broken'), '');
  expect(await outcome(['touch', 'second'])).toEqual({
    denied: 'the sandbox could not be started: bwrap: no namespaces',
  });
  expect(fs.readdirSync(workspace)).toEqual(['first']);
});

test('a program that prints what bubblewrap prints is not taken for a failed sandbox', async () => {
  if (!works) return;
  const { bash } = await openForTest('balanced');
  const { exitCode, stderr } = await bash('echo "bwrap: Can\'t mount" >&2; exit 1');
  expect([exitCode, stderr.toString()]).toEqual([1, "bwrap: Can't mount\n"]);
});

test('a link in place of a guarded folder denies the command', async () => {
  if (!works) return;
  const { outcome, run, workspace } = await openForTest('balanced');
  execFileSync('git', ['init', '-q', workspace]);
  expect(await run(['true'])).toMatchObject({ exitCode: 0 });
  fs.rmSync(path.join(workspace, '.git/hooks'), { recursive: true });
  fs.mkdirSync(path.join(workspace, 'elsewhere'));
  fs.symlinkSync('../elsewhere', path.join(workspace, '.git/hooks'));
  expect(await outcome(['touch', 'file'])).toEqual({ denied: expect.stringContaining('link') });
  expect(fs.existsSync(path.join(workspace, 'file'))).toBe(false);
});

test('a folder that the sandbox does not show cannot be worked in', async () => {
  if (!works) return;
  const { outcome, around } = await openForTest('balanced');
  expect(await outcome(['true'], { cwd: around })).toEqual({ denied: `${around} is not visible in the sandbox` });
});
