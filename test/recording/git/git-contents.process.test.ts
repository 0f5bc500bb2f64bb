import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGitContents } from '../../../src/recording/git/git-contents.ts';
import { indexEntries } from '../../../src/recording/git/index-entries.ts';
import { findRepository } from '../../../src/recording/git/repository.ts';
import { openContentCache } from '../../../src/recording/snapshot/content-cache.ts';
import { snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { settle, temporaryFolder, write } from '../snapshot/temporary-folder.ts';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

function repository() {
  const top = fs.realpathSync(temporaryFolder());
  const env = { PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: top, env }).toString();
  // Without sample hooks, which snapshots would include.
  git('init', '-q', '--template=');
  return { top, git };
}

/** The found contents, by name. */
async function find(root: string, files: Record<string, string | Uint8Array>, contents = openGitContents(root)) {
  const found: string[] = [];
  const wanted = Object.entries(files).map(([name, content]) => ({
    path: Buffer.from(name).toString('latin1'),
    sha256: sha256(content),
    size: Buffer.from(content as string).length,
  }));
  await contents!.find(wanted, (sha, bytes) => {
    if (sha256(bytes) === sha) found.push(wanted.find((one) => one.sha256 === sha)!.path);
  });
  contents!.close();
  return found.sort();
}

describe('git contents', () => {
  it('are read from loose and packed objects, for a folder inside the work tree', async () => {
    const { top, git } = repository();
    const binary = Buffer.from([0, 1, 255, 10, 0]);
    write(top, 'packed', 'packed\n');
    write(top, 'sub/binary', binary);
    write(top, 'sub/emp ty\nname', '');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('gc', '-q');
    write(top, 'loose', 'loose\n');
    git('add', 'loose');
    write(top, 'unknown', 'unknown\n');
    expect(await find(top, { packed: 'packed\n', loose: 'loose\n', unknown: 'unknown\n' })).toEqual([
      'loose',
      'packed',
    ]);
    expect(await find(top, { packed: 'other size' })).toEqual([]);
    expect(await find(path.join(top, 'sub'), { binary, 'emp ty\nname': '' })).toEqual(['binary', 'emp ty\nname']);
  });

  it('are those of the index at the start, whatever is committed afterwards', async () => {
    const { top, git } = repository();
    write(top, 'file', 'staged, never committed\n');
    git('add', '.');
    const contents = openGitContents(top);
    write(top, 'file', 'later\n');
    git('add', '.');
    git('commit', '-qm', 'later');
    expect(await find(top, { file: 'staged, never committed\n' }, contents)).toEqual(['file']);
  });

  it('run no program that the repository configures, and contact no remote', async () => {
    const { top, git } = repository();
    const trap = write(top, 'trap', '#!/bin/sh\ntouch "$(dirname "$0")/sprung"\n');
    fs.chmodSync(trap, 0o755);
    write(top, 'file', 'content\n');
    git('add', 'file');
    const oid = git('rev-parse', ':file').trim();
    fs.rmSync(path.join(top, '.git/objects', oid.slice(0, 2), oid.slice(2)));
    for (const [key, value] of Object.entries({
      'core.fsmonitor': trap,
      'core.sshCommand': trap,
      'core.pager': trap,
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.promisor': 'true',
      'remote.origin.url': `ext::${trap}`,
      'remote.origin.uploadpack': trap,
      'protocol.ext.allow': 'always',
    })) {
      git('config', key, value);
    }
    expect(await find(top, { file: 'content\n' })).toEqual([]);
    git('config', 'remote.origin.url', top);
    expect(await find(top, { file: 'content\n' })).toEqual([]);
    expect(fs.existsSync(path.join(top, 'sprung'))).toBe(false);
  });

  it('are not available without a repository, without git, or with a damaged index', async () => {
    const plain = temporaryFolder();
    expect(openGitContents(plain)).toBeNull();
    fs.mkdirSync(path.join(plain, '.git'));
    expect(openGitContents(plain)).toBeNull();
    const { top, git } = repository();
    expect(openGitContents(top)).toBeNull(); // No index yet.
    write(top, 'file', 'content\n');
    git('add', 'file');
    const searched = process.env.PATH;
    process.env.PATH = '/nowhere:relative';
    expect(await find(top, { file: 'content\n' }).finally(() => (process.env.PATH = searched))).toEqual([]);
    const index = fs.readFileSync(path.join(top, '.git/index'));
    for (const damaged of [
      Buffer.alloc(0),
      index.subarray(0, 40),
      Buffer.concat([index.subarray(0, 12), Buffer.alloc(999, 255)]),
    ]) {
      fs.writeFileSync(path.join(top, '.git/index'), damaged);
      expect(await find(top, { file: 'content\n' })).toEqual([]);
    }
  });

  it('keep files that are unchanged in the index out of the content cache', async () => {
    const { top, git } = repository();
    write(top, 'clean', 'clean\n');
    write(top, 'dirty', 'dirty\n');
    await settle();
    git('add', '.');
    write(top, 'dirty', 'changed\n');
    write(top, 'new', 'new\n');
    await settle();
    // Files as old as the index may have changed since.
    fs.utimesSync(path.join(top, '.git/index'), new Date(), new Date());
    const cache = temporaryFolder();
    const take = async () => {
      const contents = openGitContents(top)!;
      await snapshotFs(top, ['.git'], { contents: openContentCache(cache, { isElsewhere: contents.has }) });
      contents.close();
      return fs.readdirSync(cache).filter((name) => name !== 'generation');
    };
    const config = fs.readFileSync(path.join(top, '.git/config'));
    expect((await take()).sort()).toEqual([sha256('changed\n'), sha256('new\n'), sha256(config)].sort());
    write(top, '.gitattributes', '*.bin filter=lfs diff=lfs\n');
    expect(await take()).toContain(sha256('clean\n'));
  });
});

describe('indexEntries', () => {
  it.each(['2', '3', '4'])('reads the names and objects of version %s as git does', (version) => {
    const { top, git } = repository();
    for (const name of [
      'a',
      'a.txt',
      'folder/deep/er/file',
      'folder/deep/other',
      'ümlaut',
      '12345678',
      'z'.repeat(200),
    ]) {
      write(top, name, name);
    }
    fs.symlinkSync('a', path.join(top, 'link'));
    git('add', '.');
    if (version === '3') git('update-index', '--skip-worktree', 'a.txt'); // Needs the extended flags.
    git('update-index', '--index-version', version);
    const index = fs.readFileSync(path.join(top, '.git/index'));
    expect(index.readUInt32BE(4)).toBe(Number(version));
    const listed = git('ls-files', '-s', '-z')
      .split('\0')
      .filter((line) => line.startsWith('100'))
      .map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1]]);
    const read = Array.from(indexEntries(index), ({ path: name, oid }) => [
      Buffer.from(name, 'latin1').toString(),
      oid,
    ]);
    expect(read).toEqual(listed);
    expect(read).toHaveLength(7);
  });
});

describe('findRepository', () => {
  it('follows the file .git of another work tree', () => {
    const { top, git } = repository();
    write(top, 'file', 'x');
    git('add', '.');
    git('commit', '-qm', 'one');
    const other = path.join(fs.realpathSync(temporaryFolder()), 'tree');
    git('worktree', 'add', '-q', other);
    expect(findRepository(other)).toEqual({ gitFolder: path.join(top, '.git/worktrees/tree'), top: other, prefix: '' });
    fs.mkdirSync(path.join(top, 'a/b'), { recursive: true });
    expect(findRepository(path.join(top, 'a/b'))).toEqual({ gitFolder: path.join(top, '.git'), top, prefix: 'a/b/' });
    fs.writeFileSync(path.join(top, 'a/.git'), 'gitdir: /nowhere\n');
    expect(findRepository(path.join(top, 'a/b'))?.prefix).toBe('a/b/');
    expect(findRepository(path.join(top, 'nowhere'))).toBeNull();
  });
});
