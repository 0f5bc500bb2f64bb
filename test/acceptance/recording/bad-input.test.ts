import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeReadOnly, smallDisk } from '../../support/small-disk.ts';
import { type Sandbox, sandbox } from '../../support/tacho.ts';

describe('bad input and broken disks end in a clear error, and leave no partial record that looks complete', () => {
  test('an unknown tacho command: the closest one is suggested', async () => {
    const { tacho } = sandbox();
    const result = await tacho(['verfy', 'last']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('[UNKNOWN_COMMAND]');
    expect(result.stderr).toContain('verify');
  });

  test('an unknown option and a missing argument: exit code 2', async () => {
    const { here } = sandbox();
    for (const [code, ...args] of [
      ['USAGE', 'run', '--colour', '--', 'true'],
      ['USAGE', 'cancel'],
      ['USAGE', 'run'],
      ['USAGE', 'run', '--timeout', 'soon', '--', 'true'],
      // The error codes are those of the API.
      ['INVALID_REQUEST', 'run', '--capture', 'video', '--', 'true'],
    ]) {
      const result = await here(args);
      expect({ args, code: result.code }).toEqual({ args, code: 2 });
      expect(result.stderr).toContain(`[${code}]`);
    }
  });

  test('an unknown program: 127, as in a shell, and no run is created', async () => {
    const box = sandbox();
    const result = await box.tacho(['run', '--', 'no-such-program-here']);
    expect(result.code).toBe(127);
    expect(result.stderr).toContain('[COMMAND_NOT_FOUND]');
    expect(runsOf(box)).toEqual([]);
  });

  test('a program that is not executable: 126', async () => {
    const box = sandbox();
    fs.writeFileSync(path.join(box.home, 'script'), 'echo x', { mode: 0o644 });
    const result = await box.tacho(['run', '--', path.join(box.home, 'script')]);
    expect(result.code).toBe(126);
    expect(result.stderr).toContain('[COMMAND_NOT_EXECUTABLE]');
    expect(runsOf(box)).toEqual([]);
  });

  test('an unwritable data folder', async () => {
    const box = sandbox();
    const disk = smallDisk('1m');
    makeReadOnly(disk);
    for (const data of [path.join(disk, 'data'), path.join(box.home, 'a-file', 'data'), '/proc/tacho/data']) {
      fs.writeFileSync(path.join(box.home, 'a-file'), '');
      const answer = await box.jsonHere<ErrorAnswer>(['run', '--data', data, '--', 'echo', 'x']);
      expect(answer).toMatchObject({ error: { code: 'DATA_FOLDER_UNWRITABLE' }, finished: { code: 1 } });
      expect(answer.error.fix).toContain('--data');
    }
  });

  test('a disk that is too full to start', async () => {
    const box = sandbox();
    const answer = await box.jsonHere<ErrorAnswer>([
      'run',
      '--data',
      path.join(smallDisk('8m'), 'data'),
      '--',
      'echo',
      'x',
    ]);
    expect(answer).toMatchObject({ error: { code: 'DISK_FULL' }, finished: { code: 1 } });
  });

  test('a disk that fills up: the run is ended, and the record says so and verifies', async () => {
    const box = sandbox();
    const data = path.join(smallDisk('8m'), 'data');
    const env = { TACHO_LIMITS_DISK_FLOOR_BYTES: '1MiB' };
    const answer = await box.json<ErrorAnswer & { run_id: string; completion: unknown }>(
      ['run', '--data', data, '--', 'bash', '-c', 'head -c 30000000 /dev/zero | tr "\\0" "x"; sleep 300'],
      { env },
    );
    expect(answer).toMatchObject({
      error: { code: 'DISK_FULL' },
      completion: { state: 'interrupted', reason_code: 'DISK_FULL' },
      finished: { code: expect.any(Number) },
    });
    expect(answer.finished.code).not.toBe(0);
    const audit = path.join(data, 'runs', answer.run_id, '.audit');
    const meta = JSON.parse(fs.readFileSync(path.join(audit, 'meta.1.json'), 'utf8'));
    expect(meta).toMatchObject({ success: false, error: { code: 'DISK_FULL' }, failed_step: 'terminal' });
    const recorded = fs.readFileSync(path.join(audit, 'stdout.1.log'));
    expect(recorded.length).toBeGreaterThan(100_000);
    expect(recorded.equals(Buffer.alloc(recorded.length, 'x'))).toBe(true);
    const verified = await box.here(['verify', '--data', data, 'last']);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('intact') });
    const shown = await box.here(['show', '--data', data, 'last']);
    expect(shown.stdout).toContain('DISK_FULL');
  });

  test('a read-only run folder', async () => {
    const box = sandbox();
    const disk = smallDisk('200m');
    const data = path.join(disk, 'data');
    const first = await box.jsonHere(['run', '--data', data, '--', 'echo', 'once']);
    const files = listing(first.run_dir);
    makeReadOnly(disk);
    const again = await box.json<ErrorAnswer>(['run', '--run-dir', first.run_dir, '--', 'echo', 'twice']);
    expect(again).toMatchObject({ error: { code: 'RUN_FOLDER_READ_ONLY' }, finished: { code: 1 } });
    expect(again.error.fix).toBeTruthy();
    expect(listing(first.run_dir)).toEqual(files);
    expect((await box.here(['verify', first.run_dir])).code).toBe(0);
  });

  test('a corrupt .run.json', async () => {
    const box = sandbox();
    const { run_dir } = await box.jsonHere(['run', '--', 'echo', 'x']);
    const record = path.join(run_dir, '.run.json');
    for (const content of ['', '{"format":"tacho-run/1","run_id":', '[]', '{"format":"tacho-run/1"}', 'null']) {
      fs.writeFileSync(record, content);
      for (const args of [
        ['show', 'last'],
        ['run', '--run-dir', 'last', '--', 'true'],
      ]) {
        const answer = await box.jsonHere<ErrorAnswer>(args);
        expect({ content, args, code: answer.error?.code, exit: answer.finished.code }).toEqual({
          content,
          args,
          code: 'RUN_RECORD_CORRUPT',
          exit: 1,
        });
      }
      expect(fs.readFileSync(record, 'utf8')).toBe(content);
    }
    const list = await box.jsonHere<{ runs: { error?: { code: string } }[] }>(['runs']);
    expect(list.runs[0]?.error?.code).toBe('RUN_RECORD_CORRUPT');
    expect((await box.here(['verify', 'last'])).stdout).toContain('.run.json');
  });

  test('a handle that matches two runs: both are named', async () => {
    const box = sandbox();
    const { run_dir, run_id } = await box.jsonHere(['run', '--', 'echo', 'x']);
    const twin = `20200101T000000-text-${run_id.slice(-8)}`;
    fs.cpSync(run_dir, path.join(box.home, 'runs', twin), { recursive: true });
    const answer = await box.jsonHere<ErrorAnswer>(['show', run_id.slice(-8)]);
    expect(answer).toMatchObject({
      error: { code: 'RUN_AMBIGUOUS', details: { candidates: [twin, run_id] } },
      finished: { code: 1 },
    });
    expect((await box.here(['show', run_id])).code).toBe(0);
  });

  test('a run folder from a newer format is shown and not continued', async () => {
    const box = sandbox();
    const { run_dir } = await box.jsonHere(['run', '--', 'echo', 'x']);
    const record = path.join(run_dir, '.run.json');
    fs.writeFileSync(record, fs.readFileSync(record, 'utf8').replace('tacho-run/1', 'tacho-run/2'));
    const before = listing(run_dir);
    const answer = await box.jsonHere<ErrorAnswer>(['run', '--run-dir', 'last', '--', 'true']);
    expect(answer).toMatchObject({ error: { code: 'FORMAT_TOO_NEW' }, finished: { code: 1 } });
    expect(answer.error.fix).toContain('Upgrade');
    expect((await box.here(['show', 'last'])).code).toBe(0);
    expect(listing(run_dir)).toEqual(before);
  });

  test('no such run, no such attempt, a working folder that is none', async () => {
    const box = sandbox();
    await box.jsonHere(['run', '--', 'echo', 'x']);
    expect(await box.jsonHere<ErrorAnswer>(['show', 'ffffffff'])).toMatchObject({
      error: { code: 'RUN_NOT_FOUND' },
      finished: { code: 1 },
    });
    expect(await box.jsonHere<ErrorAnswer>(['raw', 'last', '--attempt', '9'])).toMatchObject({
      error: { code: 'ATTEMPT_NOT_FOUND' },
    });
    expect(await box.jsonHere<ErrorAnswer>(['run', '--cwd', '/no/such/folder', '--', 'true'])).toMatchObject({
      error: { code: 'CWD_NOT_FOUND' },
    });
    expect(await box.jsonHere<ErrorAnswer>(['run', '--isolate', '--env', 'HOME=/root', '--', 'true'])).toMatchObject({
      error: { code: 'ISOLATION_BROKEN' },
    });
  });
});

interface ErrorAnswer {
  error: { code: string; message: string; fix: string | null; details: Record<string, unknown> };
}

function runsOf(box: Sandbox): string[] {
  const runs = path.join(box.home, 'runs');
  return fs.existsSync(runs) ? fs.readdirSync(runs) : [];
}

function listing(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/lock\.\d+$/.test(name))
    .map((name) => `${name} ${fs.statSync(path.join(folder, name)).size}`)
    .sort();
}
