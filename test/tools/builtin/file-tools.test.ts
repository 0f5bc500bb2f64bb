import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinTools, createRegistry } from '../../../src/tools/index.ts';
import { call, contextFor, placeOf, workspaceWith } from '../tool-context.ts';

const tools = builtinTools();

describe('file_read', () => {
  it('gives the whole text', async () => {
    const context = contextFor(workspaceWith({ 'a.txt': 'ä\r\nb' }));
    expect(await call(tools, 'file_read', { path: 'a.txt' }, context)).toMatchObject({
      ok: true,
      stdout: 'ä\r\nb',
      truncated: false,
      data: { path: 'a.txt', bytes: 5 },
    });
  });

  it('stops at the limit, never within a character', async () => {
    const context = contextFor(workspaceWith({ 'a.txt': 'a€😀b' }));
    const read = (max_bytes: number) => call(tools, 'file_read', { path: 'a.txt', max_bytes }, context);
    const texts = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(async (max) => (await read(max)).stdout));
    expect(texts).toEqual(['a', 'a', 'a', 'a€', 'a€', 'a€', 'a€', 'a€😀', 'a€😀b']);
    expect((await read(8)).truncated).toBe(true);
  });

  it('refuses files that are not text', async () => {
    const root = workspaceWith({ nul: 'a\0b' });
    fs.writeFileSync(path.join(root, 'latin1'), Buffer.from([0xe4, 0x0a]));
    for (const name of ['nul', 'latin1']) {
      const result = await call(tools, 'file_read', { path: name }, contextFor(root));
      expect(result).toMatchObject({ ok: false, error_kind: 'conflict' });
    }
  });

  it.each([
    [{ path: 'missing' }, 'not_found'],
    [{ path: '../x' }, 'path_outside'],
    [{ path: '.' }, 'conflict'],
    [{ path: '.tacho/runs/1/events.jsonl' }, 'not_found'],
    [{}, 'invalid_arguments'],
    [{ path: 'a', extra: 1 }, 'invalid_arguments'],
    [{ path: 'a', max_bytes: 0 }, 'invalid_arguments'],
  ])('fails for %j with %s', async (value, kind) => {
    const result = await call(tools, 'file_read', value, contextFor(workspaceWith()));
    expect(result).toMatchObject({ ok: false, error_kind: kind });
  });
});

describe('read_file', () => {
  it('numbers the lines that were asked for', async () => {
    const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join('');
    const context = contextFor(workspaceWith({ 'a.txt': text, empty: '' }));
    const part = await call(tools, 'read_file', { path: 'a.txt', offset: 9, limit: 2 }, context);
    expect(part).toMatchObject({
      stdout: ' 9\tline 9\n10\tline 10\n',
      truncated: true,
      data: { from: 9, to: 10, lines: 12 },
    });
    const rest = await call(tools, 'read_file', { path: 'a.txt', offset: 12 }, context);
    expect(rest).toMatchObject({ stdout: '12\tline 12\n', truncated: false });
    expect(await call(tools, 'read_file', { path: 'empty' }, context)).toMatchObject({ ok: true, stdout: '' });
    const after = await call(tools, 'read_file', { path: 'a.txt', offset: 13 }, context);
    expect(after).toMatchObject({ ok: false, error_kind: 'invalid_arguments', data: { lines: 12 } });
  });

  it('cuts long lines and refuses very large files', async () => {
    const root = workspaceWith({ long: 'x'.repeat(5000) });
    const long = await call(tools, 'read_file', { path: 'long' }, contextFor(root));
    expect(long.truncated).toBe(true);
    expect(long.stdout).toContain('3000 characters left out');
    fs.truncateSync(path.join(root, 'long'), 17 * 1024 * 1024);
    const large = await call(tools, 'read_file', { path: 'long' }, contextFor(root));
    expect(large).toMatchObject({ ok: false, error_kind: 'too_large' });
  });
});

describe('file_write', () => {
  it('creates and replaces files', async () => {
    const root = workspaceWith();
    const context = contextFor(root);
    const created = await call(tools, 'file_write', { path: 'a/b.txt', content: 'ä' }, context);
    expect(created).toMatchObject({ stdout: 'created a/b.txt (2 bytes)\n', data: { created: true, bytes: 2 } });
    const replaced = await call(tools, 'file_write', { path: 'a/b.txt', content: '' }, context);
    expect(replaced).toMatchObject({ stdout: 'replaced a/b.txt (0 bytes)\n', data: { created: false } });
    expect(fs.readFileSync(path.join(root, 'a/b.txt'), 'utf8')).toBe('');
  });

  it.each([
    ['../x', 'path_outside'],
    ['.git/hooks/pre-commit', 'not_permitted'],
    ['config/tacho.yaml', 'not_permitted'],
    ['.', 'conflict'],
  ])('refuses %s with %s', async (name, kind) => {
    const root = workspaceWith();
    const result = await call(tools, 'file_write', { path: name, content: 'x' }, contextFor(root));
    expect(result).toMatchObject({ ok: false, error_kind: kind });
    expect(fs.readdirSync(root)).toEqual([]);
  });
});

describe('list_dir', () => {
  const files = { 'b/c/d.txt': '', 'a.txt': '', '.hidden/x': '' };

  it('lists levels and hidden names as asked', async () => {
    const root = workspaceWith(files);
    fs.symlinkSync('a.txt', path.join(root, 'link'));
    const list = async (value: object) => (await call(tools, 'list_dir', value, contextFor(root))).stdout;
    expect(await list({})).toBe('a.txt\nb/\nlink@\n');
    expect(await list({ depth: 3 })).toBe('a.txt\nb/\nb/c/\nb/c/d.txt\nlink@\n');
    expect(await list({ hidden: true })).toBe('.hidden/\na.txt\nb/\nlink@\n');
    expect(await list({ path: 'b/c' })).toBe('b/c/d.txt\n');
  });

  it('gives pages', async () => {
    const context = contextFor(workspaceWith({ a: '', b: '', c: '' }));
    const first = await call(tools, 'list_dir', { limit: 2 }, context);
    expect(first).toMatchObject({
      stdout: 'a\nb\n[more entries: call again with offset 3]\n',
      truncated: true,
      data: { entries: 2, next: 3 },
    });
    const second = await call(tools, 'list_dir', { limit: 2, offset: 3 }, context);
    expect(second).toMatchObject({ stdout: 'c\n', truncated: false, data: { next: null } });
  });

  it.each([
    ['a.txt', 'conflict'],
    ['missing', 'not_found'],
    ['..', 'path_outside'],
  ])('fails for %s with %s', async (name, kind) => {
    const result = await call(tools, 'list_dir', { path: name }, contextFor(workspaceWith(files)));
    expect(result).toMatchObject({ ok: false, error_kind: kind });
  });

  it('ends when the run is cancelled', async () => {
    const root = workspaceWith(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, ''])));
    const stop = new AbortController();
    const registry = createRegistry(tools);
    const prepared = await registry.prepare('list_dir', {}, placeOf(root));
    if (!prepared.ok) throw new Error('not prepared');
    stop.abort();
    const result = await registry.execute(prepared, contextFor(root, { signal: stop.signal }));
    expect(result).toMatchObject({ ok: false, error_kind: 'cancelled' });
  });
});
