import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { shownPatch } from '../../../src/cli/diff/show-patch.ts';
import { readTree } from '../../recording/patch/random-tree.ts';
import { type Sandbox, sandbox, tachoCommand, temporaryFolder } from '../../support/tacho.ts';

const GIT_ENV = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

/** A folder with files of every kind, in a repository or not. */
function workspace({ inGit }: { inGit: boolean }) {
  const root = fs.realpathSync(temporaryFolder());
  const write = (name: string, content: string | Buffer) => {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: root, env: GIT_ENV });
  write('text.txt', 'one\ntwo\nthree\n');
  write('windows.txt', 'one\r\ntwo\r\n');
  write('image.bin', Buffer.from([0, 1, 2, 255, 254]));
  write('gone.txt', 'gone\n');
  write('gone.bin', Buffer.alloc(3000, '\0x'));
  write('old name.txt', 'renamed\n');
  write('run.sh', '#!/bin/sh\n');
  write('sub/inner.txt', 'inner\n');
  if (inGit) {
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'before');
  }
  const copy = path.join(fs.realpathSync(temporaryFolder()), 'copy');
  if (inGit) git('clone', '-q', root, copy);
  else fs.cpSync(root, copy, { recursive: true });
  return { root, copy };
}

const CHANGES = `
  printf 'one\\n2\\nthree\\nno line feed' > text.txt; printf 'one\\r\\nzwei\\r\\n' > windows.txt
  printf '\\0\\377new' > image.bin; rm gone.txt gone.bin; mv 'old name.txt' 'new "name".txt'; chmod +x run.sh
  mkdir -p made; printf 'made\\n' > made/file; : > made/empty; ln -s ../text.txt made/link; printf 'in\\n' > sub/inner.txt`;

const record = (box: Sandbox, cwd: string, script: string, ...options: string[]) =>
  box.jsonHere(['run', '--cwd', cwd, ...options, '--', 'sh', '-c', script]);

test.each([true, false])(
  'tacho diff | git apply gives a fresh copy the same files (in a repository: %s)',
  async (inGit) => {
    const { root, copy } = workspace({ inGit });
    const box = sandbox();
    await record(
      box,
      root,
      inGit ? `${CHANGES}; git add -A; git -c user.name=t -c user.email=t commit -qm after` : CHANGES,
    );
    const piped = spawnSync('sh', ['-c', `"$0" "${tachoCommand}" diff last | git apply`, process.execPath], {
      cwd: copy,
      env: { ...GIT_ENV, TACHO_HOME: box.home, GIT_CEILING_DIRECTORIES: path.dirname(copy) },
    });
    expect([piped.status, piped.stderr.toString()]).toEqual([0, '']);
    expect(readTree(copy)).toEqual(readTree(root));
    expect(readTree(copy).join()).toContain('no line feed');
  },
);

test('paths begin at the top of the repository, or with --relative at the workspace', async () => {
  const { root } = workspace({ inGit: true });
  const box = sandbox();
  await record(box, path.join(root, 'sub'), 'echo changed > inner.txt');
  expect((await box.here(['diff', '--name-only'])).stdout).toBe('sub/inner.txt\n');
  expect((await box.here(['diff', 'last', '--relative'])).stdout).toContain('diff --git a/inner.txt b/inner.txt\n');
});

test('names files without stored content, prints the rest and exits with 3', async () => {
  const { root } = workspace({ inGit: false });
  const box = sandbox();
  const env = { TACHO_RECORDING_BLOB_MAX_BYTES: '1000' };
  await box.jsonHere(['run', '--cwd', root, '--', 'sh', '-c', 'rm gone.bin; echo 2 > text.txt; mkfifo pipe'], { env });
  const { code, stdout, stderr } = await box.here(['diff', 'last']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^diff --git a\/text\.txt b\/text\.txt\n/);
  expect(stdout).not.toContain('gone.bin');
  expect(stderr).toContain('gone.bin: content before the run larger than 1.0 kB (3.0 kB)');
  expect(stderr).toContain('[PATCH_INCOMPLETE]');
  expect(stderr).toContain('not in the patch: pipe (neither a file, a folder nor a link)');
  const json = await box.jsonHere<{ complete: boolean; changes: object[]; not_in_patch: object[] }>(['diff', 'last']);
  expect(json).toMatchObject({
    complete: false,
    changes: [
      { path: 'gone.bin', change: 'delete', missing: [{ side: 'before', size: 3000 }] },
      { path: 'text.txt', change: 'modify', insertions: 1, deletions: 3, missing: [] },
    ],
    not_in_patch: [{ path: 'pipe', reason: 'special_file' }],
    finished: { code: 3, stderr: '' },
  });
});

test('shows the changes of all attempts together, or of one, as numbers and names too', async () => {
  const { root } = workspace({ inGit: false });
  const box = sandbox();
  const { run_id } = await record(box, root, "echo first > made; rm gone.txt; printf '\\0' > image.bin");
  await record(box, root, 'echo second > made; echo gone > gone.txt; mv text.txt moved.txt', '--run-dir', run_id);
  expect((await box.here(['diff', run_id, '--stat'])).stdout).toBe(
    [
      ' image.bin             | Bin 5 B -> 1 B',
      ' made                  | 1 +',
      ' text.txt => moved.txt | 0',
      ' 3 files changed, 1 insertion(+), 0 deletions(-)',
      '',
    ].join('\n'),
  );
  expect((await box.here(['diff', run_id, '--name-only', '--attempt', '1'])).stdout).toBe(
    'gone.txt\nimage.bin\nmade\n',
  );
  expect((await box.here(['diff', run_id, '--attempt', '2'])).stdout).toContain('-first\n+second\n');
  expect(await box.here(['diff', run_id, '--attempt', '3'])).toMatchObject({ code: 1 });
});

test('lists the paths that the snapshots did not cover', async () => {
  const { root } = workspace({ inGit: false });
  fs.writeFileSync(path.join(root, '.gitignore'), 'made.log\n');
  const box = sandbox();
  await record(box, root, 'echo x > made.log; echo x > made.txt');
  expect(await box.jsonHere(['diff'])).toMatchObject({
    changes: [{ path: 'made.txt', change: 'create' }],
    not_covered: [{ by: '.gitignore', paths: 1, examples: ['made.log'] }],
    finished: { code: 0 },
  });
  const limited = { env: { TACHO_RECORDING_SNAPSHOT_ENTRIES: '3' } };
  await box.jsonHere(['run', '--cwd', root, '--', 'true'], limited);
  expect((await box.here(['diff'])).stderr).toContain('tacho: not covered:');
});

test('says why a run has no list of changes', async () => {
  const box = sandbox();
  await box.jsonHere(['run', '--level', 'minimal', '--', 'true']);
  const { code, stderr } = await box.here(['diff']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('[ATTEMPT_NOT_FOUND]')]);
});

test('no patch can control the terminal on which it is shown', () => {
  const patch = Buffer.from(
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-\u001b[2Jold\n+\u001b]0;title\u0007new\u009b\n',
  );
  expect(shownPatch(patch)).toBe('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-old\n+new\ufffd\n');
  const index = `index ${'ab'.repeat(20)}..${'cd'.repeat(20)} 100644`;
  expect(shownPatch(Buffer.from(`diff --git a/x b/x\n${index}\n@@ -1,1 +1,1 @@\n+${index}\n`))).toBe(
    `diff --git a/x b/x\nindex abababa..cdcdcdc 100644\n@@ -1,1 +1,1 @@\n+${index}\n`,
  );
});
