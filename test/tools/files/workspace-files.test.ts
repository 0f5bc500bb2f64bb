import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileChange, ToolFailure, WorkspaceFiles } from '../../../src/tools/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { openFiles } from '../../support/tacho.ts';
import { workspaceWith } from '../tool-context.ts';

/** The kind of the failure, or what came instead. */
async function kindOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    (value) => value,
    (error: unknown) => (error instanceof ToolFailure ? error.kind : error),
  );
}

function filesOf(root: string): WorkspaceFiles {
  return new WorkspaceFiles(root);
}

describe('read', () => {
  it('reads a part of a file, by relative and absolute path and through links inside', async () => {
    const root = workspaceWith({ 'src/a.txt': 'content' });
    fs.symlinkSync('src', path.join(root, 'link'));
    fs.symlinkSync(path.join(root, 'src/a.txt'), path.join(root, 'absolute'));
    const files = filesOf(root);
    for (const name of ['src/a.txt', path.join(root, 'src/a.txt'), 'link/a.txt', 'absolute', 'src/../link/./a.txt']) {
      const { bytes, ...rest } = await files.read(name);
      expect({ text: bytes.toString(), ...rest }).toMatchObject({ text: 'content', path: 'src/a.txt', size: 7 });
    }
    expect((await files.read('src/a.txt', { maxBytes: 3, offset: 2 })).bytes.toString()).toBe('nte');
    expect((await files.read('src/a.txt', { offset: 99 })).bytes).toHaveLength(0);
  });

  it('works when the workspace itself is named by a link', async () => {
    const root = workspaceWith({ 'a.txt': 'content' });
    const link = path.join(root, '../other');
    fs.symlinkSync(root, link);
    expect((await filesOf(link).read(path.join(link, 'a.txt'))).path).toBe('a.txt');
    await filesOf(link).write(path.join(link, 'new/b.txt'), 'b');
    expect(fs.readFileSync(path.join(root, 'new/b.txt'), 'utf8')).toBe('b');
  });

  it('tells apart what is outside, missing, a folder and not a file', async () => {
    const root = workspaceWith({ 'a/b.txt': '' });
    fs.writeFileSync(path.join(root, '../secret'), 'secret');
    fs.symlinkSync('../secret', path.join(root, 'out'));
    fs.symlinkSync('/etc', path.join(root, 'etc'));
    fs.symlinkSync('loop', path.join(root, 'loop'));
    const files = filesOf(root);
    expect(await kindOf(files.read('../secret'))).toBe('path_outside');
    expect(await kindOf(files.read('/etc/passwd'))).toBe('path_outside');
    expect(await kindOf(files.read('out'))).toBe('path_outside');
    expect(await kindOf(files.read('etc/passwd'))).toBe('path_outside');
    expect(await kindOf(files.read('/proc/self/root/etc/passwd'))).toBe('path_outside');
    expect(await kindOf(files.read('../workspace-other/x'))).toBe('path_outside');
    expect(await kindOf(files.read('missing'))).toBe('not_found');
    expect(await kindOf(files.read('a/b.txt/c'))).toBe('not_found');
    expect(await kindOf(files.read('loop'))).toBe('not_found');
    expect(await kindOf(files.read('a'))).toBe('conflict');
    expect(await kindOf(files.read('a\0b'))).toBe('invalid_arguments');
    expect(await kindOf(files.read('x'.repeat(5000)))).toBe('invalid_arguments');
  });
});

describe('write', () => {
  it('replaces a file in one step, keeps its mode and its links, and makes folders', async () => {
    const root = workspaceWith({ 'run.sh': 'old' });
    fs.chmodSync(path.join(root, 'run.sh'), 0o750);
    fs.symlinkSync('run.sh', path.join(root, 'link'));
    const files = filesOf(root);
    const before = fs.statSync(path.join(root, 'run.sh')).ino;
    expect(await files.write('link', 'new')).toEqual({ path: 'run.sh', created: false, folders: [] });
    expect(fs.readlinkSync(path.join(root, 'link'))).toBe('run.sh');
    const stat = fs.statSync(path.join(root, 'run.sh'));
    expect(stat.mode & 0o777).toBe(0o750);
    expect(stat.ino).not.toBe(before);
    expect(await files.write('x/y/z.txt', 'z')).toEqual({ path: 'x/y/z.txt', created: true, folders: ['x', 'x/y'] });
    expect(fs.readdirSync(path.join(root, 'x/y'))).toEqual(['z.txt']);
  });

  it('takes a name of 255 bytes', async () => {
    const root = workspaceWith();
    const name = 'n'.repeat(255);
    await filesOf(root).write(name, 'x');
    expect(fs.readdirSync(root)).toEqual([name]);
  });

  it('refuses what leads out, and changes nothing', async () => {
    const root = workspaceWith({ 'a.txt': 'a' });
    const outside = path.join(root, '../outside');
    fs.mkdirSync(outside);
    fs.symlinkSync('../outside', path.join(root, 'folder'));
    fs.symlinkSync('../outside/new', path.join(root, 'dangling'));
    fs.symlinkSync('nowhere', path.join(root, 'inside'));
    const files = filesOf(root);
    expect(await kindOf(files.write('../outside/x', ''))).toBe('path_outside');
    expect(await kindOf(files.write('folder/x', ''))).toBe('path_outside');
    expect(await kindOf(files.write('folder/deep/x', ''))).toBe('path_outside');
    expect(await kindOf(files.write('dangling', ''))).toBe('path_outside');
    expect(await kindOf(files.write('inside', ''))).toBe('conflict');
    expect(await kindOf(files.write('a.txt/b', ''))).toBe('not_found');
    expect(await kindOf(files.write('.', ''))).toBe('conflict');
    expect(await kindOf(files.remove('folder/x'))).toBe('path_outside');
    expect(fs.readdirSync(outside)).toEqual([]);
    expect(fs.readdirSync(root).toSorted()).toEqual(['a.txt', 'dangling', 'folder', 'inside']);
  });

  it('removes the folders it made if the file cannot be written', async () => {
    const root = workspaceWith();
    expect(await kindOf(filesOf(root).write(`x/y/${'n'.repeat(300)}`, ''))).toBe('invalid_arguments');
    expect(fs.readdirSync(root)).toEqual([]);
  });
});

describe('what belongs to tacho and to git', () => {
  const own = {
    '.tacho/runs/1/events.jsonl': 'log',
    '.tacho/skills/review/SKILL.md': 'skill',
    'inner/.tacho/runtime/secret': 'secret',
    '.git/config': 'config',
    '.git/hooks/pre-commit': 'hook',
    'vendor/.git/hooks/pre-commit': 'hook',
    'config/tacho.yaml': 'settings',
    '.env': 'KEY=x',
  };

  it('is out of reach, also by links and other spellings', async () => {
    const root = workspaceWith(own);
    fs.symlinkSync('.tacho', path.join(root, 'state'));
    fs.symlinkSync('.git/hooks', path.join(root, 'hooks'));
    fs.symlinkSync('.env', path.join(root, 'env'));
    const files = filesOf(root);
    const unreadable = ['.tacho/runs/1/events.jsonl', 'state/runs/1/events.jsonl', 'inner/.tacho/runtime/secret'];
    for (const name of unreadable) expect(await kindOf(files.read(name)), name).toBe('not_permitted');
    expect((await files.read('.tacho/skills/review/SKILL.md')).bytes.toString()).toBe('skill');
    expect((await files.read('.git/config')).bytes.toString()).toBe('config');
    const unwritable = [
      ...Object.keys(own),
      ...['.tacho/new', 'state/new', '.tacho', 'new/.tacho/x', '.TACHO/x', 'hooks/post-commit', '.git/hooks/new'],
      ...['.git/info/attributes', 'new/.git', 'env', 'config/../.env', './config//tacho.yaml', 'sub/.git/config'],
    ];
    for (const name of unwritable) {
      expect(await kindOf(files.write(name, 'x')), name).toBe('not_permitted');
      expect(await kindOf(files.checkWrite(name)), name).toBe('not_permitted');
    }
    for (const name of ['.env', '.git/config', '.tacho/skills/review/SKILL.md', 'config/tacho.yaml']) {
      expect(await kindOf(files.remove(name)), name).toBe('not_permitted');
    }
    for (const [name, content] of Object.entries(own)) {
      expect(fs.readFileSync(path.join(root, name), 'utf8')).toBe(content);
    }
  });

  it('is not listed', async () => {
    const files = filesOf(workspaceWith({ ...own, 'a.txt': '' }));
    expect((await files.list('.')).map((entry) => entry.path)).toEqual([
      '.env',
      '.git',
      'a.txt',
      'config',
      'inner',
      'vendor',
    ]);
    expect((await files.list('.tacho/skills')).map((entry) => entry.path)).toEqual(['.tacho/skills/review']);
    const walked = [];
    for await (const entry of files.walk('.')) walked.push(entry.path);
    expect(walked.filter((name) => name.includes('.tacho'))).toEqual([]);
    expect(walked).toContain('.git/hooks/pre-commit');
  });
});

describe('remove, stat, list, walk and resolve', () => {
  it('remove a file, a link and not its target, and an empty folder', async () => {
    const root = workspaceWith({ 'a.txt': '', 'folder/b.txt': '' });
    fs.symlinkSync('a.txt', path.join(root, 'link'));
    const files = filesOf(root);
    await files.remove('link');
    expect(fs.readdirSync(root)).toEqual(['a.txt', 'folder']);
    expect(await kindOf(files.remove('folder'))).toBe('conflict');
    await files.remove('folder/b.txt');
    await files.remove('folder');
    expect(await kindOf(files.remove('folder'))).toBe('not_found');
    expect(await kindOf(files.remove('.'))).toBe('conflict');
  });

  it('describe entries without following links', async () => {
    const root = workspaceWith({ 'b/c.txt': 'abc' });
    fs.symlinkSync('/etc/passwd', path.join(root, 'a'));
    const files = filesOf(root);
    expect(await files.stat('a')).toMatchObject({ path: 'a', type: 'link' });
    expect(await files.stat('b/c.txt')).toMatchObject({ path: 'b/c.txt', type: 'file', size: 3 });
    expect(await files.stat('.')).toMatchObject({ path: '', type: 'folder' });
    expect((await files.list('')).map(({ path: name, type }) => [name, type])).toEqual([
      ['a', 'link'],
      ['b', 'folder'],
    ]);
    expect(await kindOf(files.list('b/c.txt'))).toBe('conflict');
    expect(await files.resolve('b/../b')).toBe(path.join(root, 'b'));
    expect(await files.resolve('missing')).toBeNull();
    expect(await kindOf(files.resolve('a'))).toBe('path_outside');
    expect(await files.resolveFolder('b')).toBe(path.join(root, 'b'));
    expect(await kindOf(files.resolveFolder('b/c.txt'))).toBe('conflict');
  });

  it('walks parents before children, skips subtrees, and stops at the depth', async () => {
    const root = workspaceWith({ 'b/c/d': '', 'b/a': '', a: '', 'skipped/x': '' });
    fs.symlinkSync('b', path.join(root, 'link'));
    const walk = async (options: Parameters<WorkspaceFiles['walk']>[1]) => {
      const found = [];
      for await (const { path: name } of filesOf(root).walk('.', options)) found.push(name);
      return found;
    };
    const skip = ({ name }: { name: string }) => name === 'skipped';
    expect(await walk({ skip })).toEqual(['a', 'b', 'b/a', 'b/c', 'b/c/d', 'link']);
    expect(await walk({ skip, maxDepth: 1 })).toEqual(['a', 'b', 'link']);
    expect(await kindOf(filesOf(root).walk('../x').next())).toBe('path_outside');
    expect(await kindOf(filesOf(root).walk('a').next())).toBe('conflict');
  });

  it('leave no descriptor open, also when they fail or are abandoned', async () => {
    const root = workspaceWith({ 'a/b/c': '', f: '' });
    const files = filesOf(root);
    const before = openFiles().length;
    for (const name of ['a', 'f', 'f/x', '../x', '.env', '.tacho/x', 'missing/deep', 'a/b/new']) {
      await kindOf(files.read(name));
      await kindOf(files.write(name, ''));
      await kindOf(files.remove(name));
      await kindOf(files.list(name));
      await kindOf(files.stat(name));
    }
    for await (const entry of files.walk('.')) if (entry.depth > 1) break;
    expect(openFiles().length).toBeLessThanOrEqual(before);
  });
});

describe('options', () => {
  it('ask a policy about the real path', async () => {
    const root = workspaceWith({ 'private/key': 'x', 'a.txt': 'a' });
    fs.symlinkSync('private/key', path.join(root, 'harmless'));
    const refuse = (file: string) => (file.startsWith(path.join(root, 'private')) ? 'a rule forbids it' : null);
    const files = new WorkspaceFiles(root, { refuse });
    expect(await kindOf(files.read('harmless'))).toBe('not_permitted');
    expect(await kindOf(files.write('harmless', ''))).toBe('not_permitted');
    expect((await files.list('.')).map((entry) => entry.path)).toEqual(['a.txt', 'harmless']);
    expect((await files.read('a.txt')).bytes.toString()).toBe('a');
  });

  it('report each change with the content before and after', async () => {
    const changes: FileChange[] = [];
    const root = workspaceWith({ 'a.txt': 'old' });
    const files = new WorkspaceFiles(root, { onChange: (change) => changes.push(change) });
    await files.write('a.txt', 'new');
    await files.write('b/c.txt', 'c');
    await files.remove('a.txt');
    await kindOf(files.remove('missing'));
    const text = (bytes: Buffer | null) => bytes?.toString() ?? null;
    expect(changes.map(({ path: name, before, after }) => [name, text(before), text(after)])).toEqual([
      ['a.txt', 'old', 'new'],
      ['b/c.txt', null, 'c'],
      ['a.txt', 'new', null],
    ]);
  });
});

describe('hostile paths', () => {
  it('never read or change anything outside', async () => {
    const root = workspaceWith({ 'a/b/c.txt': 'inside', 'd.txt': 'inside' });
    const outside = path.join(root, '../outside');
    fs.mkdirSync(path.join(outside, 'deep'), { recursive: true });
    fs.writeFileSync(path.join(outside, 'secret.txt'), 'SECRET');
    fs.symlinkSync('../../outside', path.join(root, 'a/up'));
    fs.symlinkSync(outside, path.join(root, 'absolute'));
    fs.symlinkSync('..', path.join(root, 'a/parent'));
    fs.symlinkSync('/', path.join(root, 'top'));
    fs.symlinkSync('/proc/self/cwd', path.join(root, 'cwd'));
    fs.symlinkSync(path.join(root, '..'), path.join(root, 'around'));
    const part = fc.constantFrom(
      ...['..', '.', '', 'a', 'b', 'c.txt', 'd.txt', 'up', 'absolute', 'parent', 'top', 'cwd', 'around', 'outside'],
      ...['deep', 'secret.txt', 'workspace', 'proc', 'self', 'root', 'etc', 'new', 'tmp', '~', '%2e%2e', '..\\..'],
    );
    const name = fc.tuple(
      fc.constantFrom('', '/', './', '//', `${root}/`, `${outside}/`),
      fc.array(part, { maxLength: 8 }),
    );
    const files = filesOf(root);
    await fc.assert(
      fc.asyncProperty(name, async ([start, parts]) => {
        const hostile = start + parts.join('/');
        const read = await kindOf(files.read(hostile));
        expect(JSON.stringify(read)).not.toContain(Buffer.from('SECRET').toJSON().data.join(','));
        await kindOf(files.write(hostile, 'WRITTEN'));
        await kindOf(files.remove(hostile));
        expect(fs.readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('SECRET');
        expect(fs.readdirSync(outside).toSorted()).toEqual(['deep', 'secret.txt']);
        expect(fs.readdirSync(path.join(outside, 'deep'))).toEqual([]);
        expect(fs.readdirSync(path.join(root, '..')).toSorted()).toEqual(['outside', 'workspace']);
      }),
      { numRuns: proofSize({ small: 500, full: 20_000 }) },
    );
  });
});
