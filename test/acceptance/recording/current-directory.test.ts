import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FsDiff, Meta } from '../../../src/protocol/index.ts';
import { finished, type RunAnswer, removeFolder, sandbox, tachoCommand, temporaryFolder } from '../../support/tacho.ts';

/** A user's home, with the files that programs expect there. */
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-person-'));
beforeAll(() => {
  fs.writeFileSync(path.join(home, '.gitconfig'), '[user]\n\tname = Ann\n\temail = ann@example.org\n');
});
afterAll(() => removeFolder(home));

const auditOf = ({ run_dir }: RunAnswer) => path.join(run_dir, '.audit');
const readJson = <T>(...names: string[]) => JSON.parse(fs.readFileSync(path.join(...names), 'utf8')) as T;
const metaOf = (run: RunAnswer): Meta => readJson(auditOf(run), `meta.${run.attempt}.json`);

/** The record of a run without its raw files. */
function recordText(run: RunAnswer): string {
  const files = ['.run.json', '.audit/events.jsonl', '.audit/meta.1.json', '.audit/seal.1.json'];
  return files.map((name) => fs.readFileSync(path.join(run.run_dir, name), 'utf8')).join('\n');
}

describe('tacho run in a project', () => {
  test('`npm test` passes and is recorded, with the files it changed', async () => {
    const box = sandbox();
    const scripts = { test: "node -e \"require('fs').writeFileSync('report.txt', 'ok')\" && echo all passed" };
    fs.writeFileSync(
      path.join(box.work, 'package.json'),
      JSON.stringify({ name: 'project', version: '1.0.0', scripts }),
    );
    const run = await box.json(['run', '--', 'npm', 'test'], { env: { HOME: home } });
    expect(run, run.finished.stderr).toMatchObject({ status: 'succeeded', exit_code: 0 });
    expect(run.finished.stderr).toContain('all passed');
    expect(metaOf(run)).toMatchObject({ cwd: fs.realpathSync(box.work), environment: 'inherited' });
    const { created } = readJson<FsDiff>(auditOf(run), 'fs-diff.1.json');
    expect(created).toEqual([expect.objectContaining({ path: 'report.txt' })]);
    expect((await box.here(['verify', 'last'])).code).toBe(0);
  });

  test('`git commit` has the user’s identity, and a script in the folder is found', async () => {
    const box = sandbox();
    const script =
      '#!/bin/sh\nset -e\ngit init -q\necho one > file\ngit add file\ngit commit -qm "First commit"\ngit log --format=%an:%s\n';
    fs.writeFileSync(path.join(box.work, 'nightly.sh'), script, { mode: 0o755 });
    const run = await box.jsonHere(['run', '--', './nightly.sh'], { env: { HOME: home } });
    expect(run, run.finished.stderr).toMatchObject({ exit_code: 0 });
    expect(run.finished.stderr).toContain('Ann:First commit');
  });
});

const PRINT = 'echo "home=$HOME tmp=$TMPDIR extra=$EXTRA pwd=$PWD"; echo "key=$API_KEY"';
const CALLER = { HOME: home, TMPDIR: '/var/tmp', EXTRA: 'extra', API_KEY: 'sk-13579bdf' };

describe('the environment of a command', () => {
  test('is inherited from the caller; secret values are not stored', async () => {
    const box = sandbox();
    const run = await box.jsonHere(['run', '--', 'sh', '-c', PRINT], { env: CALLER });
    const { stderr: output } = run.finished;
    expect(output).toContain(`home=${home} tmp=/var/tmp extra=extra pwd=${fs.realpathSync(box.work)}`);
    expect(output).toContain('key=sk-13579bdf');
    expect(metaOf(run).env_names).toEqual(expect.arrayContaining(['API_KEY', 'EXTRA', 'HOME', 'TACHO_RUN_ID']));
    expect(recordText(run)).not.toContain('sk-13579bdf');
    expect(recordText(run)).toContain('key=***********');
    expect(fs.existsSync(path.join(box.home, 'env'))).toBe(false);
  });

  test('is managed with --isolate', async () => {
    const box = sandbox();
    const run = await box.jsonHere(['run', '--isolate', '--', 'sh', '-c', PRINT], { env: CALLER });
    const { stderr: output } = run.finished;
    expect(output).toContain(`home=${path.join(box.home, 'env/home')} tmp=${box.home}/env/tmp/`);
    expect(output).toContain(`extra= pwd=${fs.realpathSync(box.work)}`);
    expect(metaOf(run)).toMatchObject({ environment: 'isolated' });
  });

  test('uses a HOME given for the run', async () => {
    const other = temporaryFolder();
    const run = await sandbox().jsonHere(['run', '--env', `HOME=${other}`, '--', 'sh', '-c', PRINT], { env: CALLER });
    expect(run.finished.stderr).toContain(`home=${other} `);
  });

  test('is of the same kind in the next attempt, with the values of that attempt’s caller', async () => {
    const box = sandbox();
    const again = async (...options: string[]) => {
      const words = [...options, '--', 'sh', '-c', PRINT];
      const first = await box.jsonHere(['run', ...words], { env: CALLER });
      const elsewhere = { cwd: temporaryFolder(), env: { ...CALLER, EXTRA: 'later' } };
      return box.jsonHere(['run', '--run-dir', first.run_id, '--', 'sh', '-c', PRINT], elsewhere);
    };
    const inherited = await again();
    expect(inherited).toMatchObject({ attempt: 2 });
    expect(inherited.finished.stderr).toContain(`extra=later pwd=${fs.realpathSync(box.work)}`);
    expect(metaOf(inherited)).toMatchObject({ environment: 'inherited' });
    const isolated = await again('--isolate', '--scratch');
    expect(isolated.finished.stderr).toContain(`extra= pwd=${path.join(isolated.run_dir, 'work')}`);
    expect(metaOf(isolated)).toMatchObject({ environment: 'isolated', cwd: path.join(isolated.run_dir, 'work') });
  });
});

describe('the working folder', () => {
  test('is new with --scratch; an engine works in the current directory with a managed home', async () => {
    const box = sandbox();
    const scratch = await box.jsonHere(['run', '--scratch', '--', 'sh', '-c', 'ls -A; pwd'], { env: CALLER });
    expect(scratch.finished.stderr).toMatch(new RegExp(`^${path.join(scratch.run_dir, 'work')}\n`));
    const demo = await box.jsonHere(['run', 'demo', '--engine-arg=--pace=0', '--', 'hello'], { env: CALLER });
    expect(metaOf(demo)).toMatchObject({ cwd: fs.realpathSync(box.work), environment: 'isolated' });
    expect(fs.existsSync(path.join(home, '.tacho-demo'))).toBe(false);
  });

  test('may be the data folder, of which no snapshot is taken, or a folder inside it', async () => {
    const box = sandbox();
    const run = await box.jsonHere(['run', '--', 'sh', '-c', 'echo x > made'], { cwd: box.home });
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(metaOf(run).filesystem).toBeNull();
    expect((await box.here(['show', 'last'])).stdout).not.toContain('missing');
    const inner = path.join(box.home, 'inner');
    fs.mkdirSync(inner);
    const inside = await box.jsonHere(['run', '--', 'sh', '-c', 'echo x > made'], { cwd: inner });
    expect(metaOf(inside).filesystem).toMatchObject({ created: 1, modified: 0 });
    for (const runId of box.runIds()) expect((await box.here(['verify', runId])).code, runId).toBe(0);
  });

  test('must exist', async () => {
    const { work, home: data } = sandbox();
    const gone = path.join(work, 'gone');
    fs.mkdirSync(gone);
    const words = ['-c', 'cd gone && rmdir ../gone && exec "$@"', 'sh', process.execPath, tachoCommand, 'run', 'true'];
    const { code, stderr } = await finished(
      spawn('sh', words, { cwd: work, env: { ...process.env, TACHO_HOME: data } }),
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('the current directory no longer exists')]);
  });

  test.each([
    [['--scratch', '--cwd', '/'], '--scratch and --cwd'],
    [['--scratch', '--run-dir', 'last'], '--run-dir works in the folder of that run'],
  ])('cannot be given twice: %j', async (options, message) => {
    const { code, stderr } = await sandbox().here(['run', ...options, '--', 'true']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
