import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot, temporaryFolder } from '../support/tacho.ts';

test('a fresh clone can be started and tested, and a second start needs no setup', {
  timeout: 900_000,
}, () => {
  const clone = path.join(temporaryFolder(), 'clone');
  cloneTree(clone);
  const npm = (...args: string[]) =>
    spawnSync('npm', args, {
      cwd: clone,
      encoding: 'utf8',
      env: { ...cleanEnvironment(), TACHO_HOME: path.join(clone, '..', 'data') },
    });

  const first = npm('start', '--silent', '--', 'run', '--', 'bash', '-c', 'echo out; echo err >&2');
  expect(first).toMatchObject({ status: 0, stdout: 'out\n' });
  expect(first.stderr).toContain('err\n');
  expect(npm('start', '--silent', '--', 'run', '--', 'bash', '-c', 'exit 7').status).toBe(7);

  const again = spawnSync(process.execPath, ['scripts/setup.mjs'], { cwd: clone, encoding: 'utf8' });
  expect(again).toMatchObject({ status: 0, stdout: '', stderr: '' });

  const tested = npm('test', '--silent', '--', 'test/protocol');
  expect({ status: tested.status, tail: tested.stdout.slice(-2000) }).toMatchObject({ status: 0 });
  expect(tested.stdout).toMatch(/Tests .*passed/);
});

/** The tree as git would clone it, including uncommitted changes. */
function cloneTree(clone: string): void {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  expect(listed.status).toBe(0);
  for (const name of listed.stdout.split('\0').filter(Boolean)) {
    const from = path.join(projectRoot, name);
    if (!fs.existsSync(from)) continue; // Deleted but not committed yet.
    fs.mkdirSync(path.dirname(path.join(clone, name)), { recursive: true });
    fs.copyFileSync(from, path.join(clone, name));
  }
}

/** Without the variables of the test runner and npm. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !/^(npm_|VITEST|NODE_ENV|TACHO_|INIT_CWD)/.test(name));
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
