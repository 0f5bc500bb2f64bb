import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinTools, WorkspaceFiles } from '../../../src/tools/index.ts';
import { call, contextFor, workspaceWith } from '../tool-context.ts';

const marked = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

async function patchOf(files: Record<string, string>, patch: string) {
  const root = workspaceWith(files);
  const result = await call(builtinTools(), 'apply_patch', { patch }, contextFor(root));
  return { root, result, files: contentOf(root) };
}

function contentOf(root: string): Record<string, string> {
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => fs.lstatSync(path.join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(root, name), 'utf8')]));
}

describe('apply_patch', () => {
  it('adds, updates, moves and deletes files', async () => {
    const { result, files } = await patchOf(
      { 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n', 'c.txt': 'x\ny\n' },
      marked(
        ...['*** Add File: new/d.txt', '+d', '*** Delete File: b.txt'],
        ...['*** Update File: a.txt', '@@', ' 1', '-2', '+two', ' 3'],
        ...['*** Update File: c.txt', '*** Move to: moved/c.txt', '@@', '-x', '+z', ' y'],
      ),
    );
    expect(result).toMatchObject({
      ok: true,
      stdout: 'added new/d.txt\ndeleted b.txt\nupdated a.txt\nmoved c.txt to moved/c.txt\n',
      data: { changed: ['new/d.txt', 'b.txt', 'a.txt', 'c.txt', 'moved/c.txt'] },
    });
    expect(files).toEqual({ 'a.txt': '1\ntwo\n3\n', 'new/d.txt': 'd\n', 'moved/c.txt': 'z\ny\n' });
  });

  it('lets later parts build on earlier ones', async () => {
    const { files } = await patchOf(
      { a: '1\n' },
      marked('*** Update File: a', '@@', '-1', '+2', '*** Update File: a', '@@', '-2', '+3'),
    );
    expect(files).toEqual({ a: '3\n' });
  });

  it('finds a place by the lines before it, and at the end of the file', async () => {
    const source = 'class A\n  run()\n    x\nclass B\n  run()\n    x\nx\n';
    const { files } = await patchOf(
      { a: source },
      marked('*** Update File: a', '@@ class B', '@@   run()', '-    x', '+    y', '@@', '-x', '+z', '*** End of File'),
    );
    expect(files.a).toBe('class A\n  run()\n    x\nclass B\n  run()\n    y\nz\n');
  });

  it('finds hunks of a diff that are further down than stated', async () => {
    const patch = '--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -4,2 +4,2 @@\n four\n-five\n+5\n';
    const { files } = await patchOf({ a: 'x\ny\none\ntwo\nthree\nfour\nfive\n' }, patch);
    expect(files.a).toBe('x\ny\none\n2\nthree\nfour\n5\n');
  });

  it('keeps CRLF, also with a patch that has none', async () => {
    const lines = ['*** Update File: a', '@@', ' 1', '-2', '+two', '+more', ' 3'];
    const { files } = await patchOf({ a: '1\r\n2\r\n3\r\n' }, marked(...lines));
    expect(files.a).toBe('1\r\ntwo\r\nmore\r\n3\r\n');
    const both = await patchOf({ a: '1\r\n2\r\n3\n' }, marked(...lines).replaceAll('\n', '\r\n'));
    expect(both.files.a).toBe('1\r\ntwo\r\nmore\r\n3\n');
  });

  it('keeps a missing final newline, unless the patch says otherwise', async () => {
    const replace = marked('*** Update File: a', '@@', ' 1', '-2', '+two');
    expect((await patchOf({ a: '1\n2' }, replace)).files.a).toBe('1\ntwo');
    expect((await patchOf({ a: '1\n2\n' }, replace)).files.a).toBe('1\ntwo\n');
    const append = marked('*** Update File: a', '@@', ' 2', '+3');
    expect((await patchOf({ a: '1\n2' }, append)).files.a).toBe('1\n2\n3');
    const note = '\\ No newline at end of file\n';
    const added = `--- a\n+++ a\n@@ -1 +1 @@\n-1\n${note}+1\n`;
    expect((await patchOf({ a: '1' }, added)).files.a).toBe('1\n');
    const removed = `--- a\n+++ a\n@@ -1 +1 @@\n-1\n+1\n${note}`;
    expect((await patchOf({ a: '1\n' }, removed)).files.a).toBe('1');
  });

  it('keeps a byte order mark and the mode', async () => {
    const root = workspaceWith({ 'run.sh': '\ufeffone\ntwo\n' });
    fs.chmodSync(path.join(root, 'run.sh'), 0o755);
    const patch = marked('*** Update File: run.sh', '*** Move to: go.sh', '@@', '-one', '+1');
    expect(await call(builtinTools(), 'apply_patch', { patch }, contextFor(root))).toMatchObject({ ok: true });
    expect(fs.readFileSync(path.join(root, 'go.sh'), 'utf8')).toBe('\ufeff1\ntwo\n');
    expect(fs.statSync(path.join(root, 'go.sh')).mode & 0o777).toBe(0o755);
  });

  it('reports file, hunk, expected and actual lines, and changes nothing', async () => {
    const before = { 'a.txt': '1\n2\n3\n', 'b.txt': 'one\ntwo\nthree\n' };
    const { result, files } = await patchOf(
      before,
      marked(
        ...['*** Update File: a.txt', '@@', '-1', '+one', '*** Add File: new/c.txt', '+c'],
        ...['*** Update File: b.txt', '@@', '-one', '+1', '@@', ' TWO', '-three', '+3'],
      ),
    );
    expect(result).toMatchObject({
      ok: false,
      error_kind: 'conflict',
      retryable: true,
      data: {
        file: 'b.txt',
        hunk: 2,
        hunks: 2,
        line: 2,
        expected: ['TWO', 'three'],
        actual: ['two', 'three'],
      },
    });
    expect(result.stderr).toBe(
      'b.txt: hunk 2 of 2 cannot be applied: its lines are not in the file. Nothing was changed.\n' +
        'Expected:\n  TWO\n  three\nFound in the file, from line 2:\n  two\n  three',
    );
    expect(files).toEqual(before);
  });

  it('refuses lines that are in the file more than once', async () => {
    const { result, files } = await patchOf({ a: 'x\ny\nx\n' }, marked('*** Update File: a', '@@', '-x', '+z'));
    expect(result.stderr).toContain('its lines are in the file 2 times (at lines 1, 3)');
    expect(files).toEqual({ a: 'x\ny\nx\n' });
  });

  it.each([
    ['adds a file that exists', marked('*** Add File: a', '+x'), 'conflict'],
    ['updates a file that is missing', marked('*** Update File: b', '@@', '+x'), 'not_found'],
    ['deletes a file that is missing', marked('*** Delete File: b'), 'not_found'],
    ['deletes a file twice', marked('*** Delete File: a', '*** Delete File: a'), 'not_found'],
    ['moves onto a file', marked('*** Update File: a', '*** Move to: other'), 'conflict'],
    ['deletes more than the diff shows', '--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n', 'conflict'],
    ['leads outside', marked('*** Add File: ../x', '+x'), 'path_outside'],
    ['changes a hook', marked('*** Add File: .git/hooks/pre-commit', '+x'), 'not_permitted'],
    ['changes a folder', marked('*** Update File: folder', '@@', '+x'), 'conflict'],
    ['is not a patch', 'hello', 'invalid_arguments'],
    ['is about a file that is not text', marked('*** Update File: binary', '@@', '+x'), 'conflict'],
  ])('changes nothing if the patch %s', async (_, patch, kind) => {
    const root = workspaceWith({ a: '1\n2\n', other: 'o\n', 'folder/x': '' });
    fs.writeFileSync(path.join(root, 'binary'), Buffer.from([0xff, 0xfe, 0x0a]));
    const before = contentOf(root);
    // A part before and one after it, which are right.
    const whole = patch.startsWith('***')
      ? patch
          .replace('*** Begin Patch', '*** Begin Patch\n*** Add File: first/x\n+x')
          .replace('*** End Patch', '*** Add File: last\n+x\n*** End Patch')
      : patch;
    const result = await call(builtinTools(), 'apply_patch', { patch: whole }, contextFor(root));
    expect(result).toMatchObject({ ok: false, error_kind: kind });
    expect(contentOf(root)).toEqual(before);
    expect(fs.existsSync(path.join(root, 'first'))).toBe(false);
  });

  it('puts everything back if a file cannot be written', async () => {
    const root = workspaceWith({ a: '1\n', b: '2\n' });
    const patch = marked(
      ...['*** Update File: a', '@@', '-1', '+one', '*** Add File: new/x', '+x'],
      ...['*** Delete File: b', `*** Add File: deep/${'n'.repeat(256)}`, '+x'],
    );
    const result = await call(builtinTools(), 'apply_patch', { patch }, contextFor(root));
    expect(result).toMatchObject({ ok: false, error_kind: 'invalid_arguments' });
    expect(contentOf(root)).toEqual({ a: '1\n', b: '2\n' });
    expect(fs.readdirSync(root)).toEqual(['a', 'b']);
  });

  it('writes a file once, however many parts change it', async () => {
    const root = workspaceWith({ a: '1\n' });
    const changes: string[] = [];
    const files = new WorkspaceFiles(root, { onChange: (change) => changes.push(change.path) });
    const patch = marked('*** Update File: a', '@@', '-1', '+2', '*** Update File: ./a', '@@', '-2', '+3');
    await call(builtinTools(), 'apply_patch', { patch }, contextFor(root, { files }));
    expect(changes).toEqual(['a']);
  });
});
