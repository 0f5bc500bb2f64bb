import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diffFs } from '../../../../src/recording/snapshot/fs-diff.ts';
import { entriesOf } from '../../../../src/recording/snapshot/fs-entry.ts';
import { compileGlob } from '../../../../src/recording/snapshot/ignore/glob.ts';
import { loadPreviousSnapshot, savePreviousSnapshot } from '../../../../src/recording/snapshot/previous-snapshot.ts';
import { type Snapshot, snapshotFs } from '../../../../src/recording/snapshot/snapshot.ts';
import { readSnapshot, writeSnapshot } from '../../../../src/recording/snapshot/snapshot-file.ts';
import { settle, temporaryFolder, write } from '../temporary-folder.ts';

const READ = { ignoreFiles: 'read' } as const;

function pathsOf(snapshot: Snapshot): string[] {
  return Array.from(entriesOf(snapshot), ({ path: name }) => name);
}

describe('the always covered files', () => {
  it('are covered although rules ignore them, and other files are not', async () => {
    const root = temporaryFolder();
    for (const file of ['.env', 'web/.env', 'config/tacho.yaml', 'config/other', 'node_modules/.env'])
      write(root, file);
    for (const file of [
      'config',
      'hooks/pre-commit',
      'hooks/lib/x',
      'info/exclude',
      'info/refs',
      'index',
      'objects/a',
    ]) {
      write(root, `.git/${file}`);
    }
    write(root, '.gitignore', '*\n!web\n');
    expect(pathsOf(await snapshotFs(root, ['.git', 'node_modules'], READ))).toEqual([
      ...['.env', '.git', '.git/config', '.git/hooks', '.git/hooks/lib', '.git/hooks/lib/x', '.git/hooks/pre-commit'],
      ...['.git/info', '.git/info/exclude', '.gitignore', 'config', 'config/tacho.yaml', 'web', 'web/.env'],
    ]);
  });

  it('do not include a folder called .env, which is a virtual environment', async () => {
    const root = temporaryFolder();
    write(root, '.env/bin/python');
    write(root, '.gitignore', '.env\n');
    expect(pathsOf(await snapshotFs(root, [], READ))).toEqual(['.gitignore']);
  });

  it('do not include the files of tacho', async () => {
    const root = temporaryFolder();
    write(root, 'data/.env');
    write(root, 'web/data/.env');
    expect(pathsOf(await snapshotFs(root, [], { ...READ, own: ['/data'] }))).toEqual([
      'web',
      'web/data',
      'web/data/.env',
    ]);
  });
});

describe('rules of a run', () => {
  it('are those before the start, whatever the program writes into ignore files', async () => {
    const root = temporaryFolder();
    write(root, '.gitignore', 'build\n');
    write(root, 'sub/file', 'before');
    write(root, 'build/out', 'before');
    const before = await snapshotFs(root, [], READ);
    write(root, '.gitignore', 'sub\nnew\n');
    write(root, 'sub/file', 'after');
    write(root, 'build/out', 'after');
    write(root, 'new/.gitignore', '*\n');
    write(root, 'new/hidden', '');
    const after = await snapshotFs(root, [], { previous: before, ignoreFiles: 'previous' });
    const diff = diffFs(before, after);
    expect(diff.modified.map(({ path: name }) => name)).toEqual(['.gitignore', 'sub/file']);
    expect(diff.created.map(({ path: name }) => name)).toEqual(['new', 'new/.gitignore', 'new/hidden']);
    expect(diff.not_covered).toEqual([{ by: '.gitignore', paths: 1, examples: ['build'] }]);
  });

  it('are recorded and read back', async () => {
    const root = temporaryFolder();
    write(root, '.git/HEAD');
    write(root, '.git/info/exclude', '# comment\n*.log\n');
    write(root, '.gitignore', 'é\n\n');
    write(root, 'sub/.gitignore', '!x.log\n');
    for (const file of ['é', 'a.log', 'sub/x.log', 'sub/y.log']) write(root, file);
    const inner = path.join(root, 'sub');
    const before = await snapshotFs(inner, ['.git'], READ);
    const file = path.join(temporaryFolder(), 'before.json');
    await writeSnapshot(before, file);
    expect(JSON.parse(fs.readFileSync(file, 'utf8')).ignore_files).toEqual([
      { path: '../.gitignore', rules: ['é'] },
      { path: '../.git/info/exclude', rules: ['*.log'] },
      { path: '.gitignore', rules: ['!x.log'] },
    ]);
    fs.rmSync(path.join(root, '.gitignore'));
    fs.rmSync(path.join(root, '.git'), { recursive: true });
    const after = await snapshotFs(inner, ['.git'], { previous: await readSnapshot(file), ignoreFiles: 'previous' });
    expect(pathsOf(after)).toEqual(['.gitignore', 'x.log']);
    expect(diffFs(before, after)).toMatchObject({
      created: [],
      modified: [],
      deleted: [],
      not_covered: [{ by: '.git/info/exclude', paths: 1, examples: ['y.log'] }],
    });
  });

  it('that changed since the previous run apply, and unchanged ones are not read again', async () => {
    const root = temporaryFolder();
    for (let index = 0; index < 1_000; index++) write(root, `folder-${index % 10}/file-${index}`, `${index}`);
    write(root, 'folder-1/.gitignore', 'file-1\n');
    write(root, 'folder-2/deep/er/x.tmp');
    await settle();
    const folder = temporaryFolder();
    savePreviousSnapshot(folder, await snapshotFs(root, [], READ));
    const loaded = loadPreviousSnapshot(folder, root)!;
    const same = await snapshotFs(root, [], { ...READ, previous: loaded });
    for (const [directory, listing] of same.directories) expect(listing).toBe(loaded.directories.get(directory));
    expect([...same.rules.files.values()]).toEqual([{ path: 'folder-1/.gitignore', rules: ['file-1'] }]);
    write(root, 'folder-2/.gitignore', '*.tmp\n');
    fs.rmSync(path.join(root, 'folder-1/.gitignore'));
    const other = await snapshotFs(root, [], { ...READ, previous: loaded });
    expect(pathsOf(other)).toEqual(pathsOf(await snapshotFs(root, [], READ)));
    expect(pathsOf(other)).toContain('folder-1/file-1');
    expect(pathsOf(other)).not.toContain('folder-2/deep/er/x.tmp');
  });

  it('are not read from a link, a pipe or a huge file', async () => {
    const root = temporaryFolder();
    write(root, 'rules', '*\n');
    for (const folder of ['a', 'b']) write(root, `${folder}/file`);
    fs.symlinkSync('../rules', path.join(root, 'a/.gitignore'));
    write(root, 'b/.gitignore', `*\n${'#'.repeat(200_000)}`);
    const snapshot = await snapshotFs(root, [], READ);
    expect(pathsOf(snapshot)).toEqual(expect.arrayContaining(['a/file', 'b/file']));
  });
});

describe('a glob', () => {
  it('with many wildcards is matched quickly', () => {
    const text = 'a'.repeat(255);
    expect(compileGlob(`${'*a'.repeat(60)}*b`, { crossesFolders: true })?.matches(text)).toBe(false);
    expect(compileGlob(`${'**/a'.repeat(30)}/b`, { crossesFolders: false })?.matches('a/'.repeat(120))).toBe(false);
  });
});
