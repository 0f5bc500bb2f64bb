import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isEvent } from '../../../src/protocol/index.ts';
import { finished, readEvents, sandbox, temporaryFolder } from '../../support/tacho.ts';

describe('a run in a large workspace', () => {
  it('ends at once on Ctrl-C during the snapshot, with a sealed record and without starting its program', async () => {
    const { start, audit, runIds, json, tacho } = sandbox();
    const workspace = temporaryFolder();
    // Sparse, but hashing them takes many seconds.
    for (let index = 0; index < 8; index++) fs.truncateSync(touch(path.join(workspace, `huge-${index}`)), 2 ** 32);
    const env = { TACHO_RECORDING_SNAPSHOT_MS: '1h' };
    const child = start(['run', '--cwd', workspace, '--', 'touch', path.join(workspace, 'started')], { env });
    const ended = finished(child);
    // The last event before the snapshot.
    await expect.poll(() => runIds().length > 0 && isRunning(path.join(audit(), 'events.jsonl'))).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130 });
    expect(fs.existsSync(path.join(workspace, 'started'))).toBe(false);
    const { attempts } = await json<{ attempts: { meta: unknown }[] }>(['show', runIds()[0]!]);
    expect(attempts[0]?.meta).toMatchObject({
      started_at: null,
      filesystem: null,
      failed_step: null,
      completion: { reason_code: 'CANCELED' },
    });
    expect((await tacho(['verify', runIds()[0]!])).code).toBe(0);
  });

  it('reports what is not covered, and the setting that would cover it', async () => {
    const { json, here, events } = sandbox();
    const workspace = temporaryFolder();
    for (const file of ['.git/hooks/pre-commit', 'build/out', 'deep/er/file', 'top']) touch(path.join(workspace, file));
    fs.writeFileSync(path.join(workspace, '.gitignore'), 'build\n');
    const program = 'echo x >.git/hooks/pre-commit; echo x >build/out; echo x >deep/er/file; echo build >>.git/index';
    const run = await json(['run', '--cwd', workspace, '--', 'sh', '-c', program], {
      env: { TACHO_RECORDING_SNAPSHOT_ENTRIES: '8' },
    });
    expect(run).toMatchObject({ status: 'succeeded' });
    const changed = events(run.run_id).filter((event) => isEvent(event, 'artifact.modified'));
    expect(changed.map(({ data }) => data)).toEqual([expect.objectContaining({ path: '.git/hooks/pre-commit' })]);
    const warnings = events(run.run_id).filter((event) => isEvent(event, 'diagnostic.runtime.warning'));
    expect(warnings.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        code: 'SNAPSHOT_INCOMPLETE',
        not_covered: [{ by: 'recording.snapshot_entries', paths: 1, examples: ['deep/er'] }],
        fix: expect.stringContaining('Raise recording.snapshot_entries'),
      }),
    ]);
    const { stdout } = await here(['show', run.run_id]);
    expect(stdout).toContain('not covered: 1 path ignored by .gitignore (build)');
    expect(stdout).toContain('not covered: 1 path ignored by recording.ignore (.git)');
    expect(stdout).toContain('not covered: 1 path beyond recording.snapshot_entries (deep/er)');
    const { stderr } = await here(['diff', run.run_id]);
    expect(stderr).toContain('tacho: not covered: 1 path ignored by .gitignore (build)\n');
    expect(stderr).not.toContain('recording.ignore');
  });
});

describe('a workspace with names that tacho uses', () => {
  it('is covered, except for the folders of tacho itself, which are reported', async () => {
    const { jsonHere, here } = sandbox();
    const workspace = temporaryFolder();
    const data = path.join(workspace, 'data');
    touch(path.join(workspace, '.tacho/runtime/server.json'));
    const program =
      'mkdir .audit; for file in .tacho/x .tacho/runtime/y .audit/meta.1.json .run.json; do echo x >$file; done';
    await jsonHere(['run', '--data', data, '--cwd', workspace, '--', 'sh', '-c', program]);
    const { stdout, stderr } = await here(['diff', '--data', data, '--name-only']);
    expect(stdout.split('\n')).toEqual(['.audit/meta.1.json', '.run.json', '.tacho/x', '']);
    expect(stderr).toBe('');
    const shown = (await here(['show', '--data', data])).stdout;
    expect(shown).toMatch(/not covered: 2 paths of tacho itself \((data, .tacho\/runtime|.tacho\/runtime, data)\)/);
  });
});

function isRunning(file: string): boolean {
  return fs.existsSync(file) && readEvents(file).some(({ data }) => 'status' in data && data.status === 'running');
}

function touch(file: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '');
  return file;
}
