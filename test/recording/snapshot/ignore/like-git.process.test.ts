import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../../../src/recording/snapshot/fs-entry.ts';
import { snapshotFs } from '../../../../src/recording/snapshot/snapshot.ts';
import { proofSize } from '../../../support/proof-size.ts';
import { temporaryFolder, write } from '../temporary-folder.ts';

const TREE = [
  ...['a', 'b', 'ab', 'a.o', 'b.o', 'a b', '#a', '!a', 'a]', 'A', 'é', 'a\\b', 'a*'].map((name) => `${name}`),
  ...['d/a', 'd/b.o', 'd/ab', 'd/e/a', 'd/e/ab', 'd/e/f/b', 'd/e/f/b.o', 'd/a b', 'e/a', 'e/d/b', 'f/a/b/a', 'f/ab/b'],
];
const FOLDERS = ['', 'd', 'd/e', 'f'];

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', 'd', 'e', 'f', '.o', 'é') },
  { weight: 4, arbitrary: fc.constantFrom('*', '**', '?', '/', '/', '**/', '/**') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[ab]',
      '[!a]',
      '[^b]',
      '[a-c]',
      '[[:alpha:]]',
      '[]a]',
      '[a-]',
      '[[:x:]]',
      '[a',
      '\\',
      ' ',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('\\*', '\\ ', '[\\]a]', '[[:]', '***', '\\a', '\\/', '#', '!', '\t', '\r') },
);
const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '\\!', '#'),
    fc.array(piece, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '', '/'),
  )
  .map((parts) => parts.flat().join(''));
const ignoreFile = fc.array(rule, { maxLength: 6 }).map((rules) => rules.join('\n'));
const files = fc.record({
  exclude: ignoreFile,
  gitignore: fc.tuple(ignoreFile, ignoreFile, ignoreFile, ignoreFile),
  root: fc.constantFrom('', '', 'd', 'd/e'),
});

describe('ignore rules', () => {
  it('leave out the same as git, at the top of a repository and in a subfolder', async () => {
    const top = temporaryFolder();
    execFileSync('git', ['init', '--quiet', top]);
    for (const file of TREE) write(top, file, file);
    await fc.assert(
      fc.asyncProperty(files, async ({ exclude, gitignore, root }) => {
        fs.mkdirSync(path.join(top, '.git/info'), { recursive: true });
        fs.writeFileSync(path.join(top, '.git/info/exclude'), exclude);
        for (const [index, folder] of FOLDERS.entries()) {
          fs.writeFileSync(path.join(top, folder, '.gitignore'), gitignore[index]!);
        }
        const folder = path.join(top, root);
        const ignored = ignoredByGit(folder, pathsBelow(folder));
        // A completely ignored folder is covered if it is the root: git has no such case.
        fc.pre(root === '' || !ignoredByGit(top, [root, `${root}/any name`]).size);
        const snapshot = await snapshotFs(folder, ['.git'], { ignoreFiles: 'read' });
        const covered = Array.from(entriesOf(snapshot), ({ path: name }) => name).filter((name) => !isOwn(name));
        expect(covered).toEqual(pathsBelow(folder).filter((name) => !ignored.has(name)));
      }),
      { numRuns: proofSize({ small: 60, full: 1_500 }) },
    );
  });
});

function ignoredByGit(folder: string, paths: readonly string[]): Set<string> {
  const { stdout, stderr, status } = spawnSync('git', ['-C', folder, 'check-ignore', '--stdin', '-z', '--no-index'], {
    input: paths.map((name) => `./${name}\0`).join(''),
    encoding: 'utf8',
    env: { ...process.env, HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' },
  });
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return new Set(stdout.split('\0').map((name) => name.slice(2)));
}

/** Sorted by their bytes. */
function pathsBelow(folder: string): string[] {
  const paths = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !isOwn(name));
  return paths.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Always covered, whatever the rules say. */
function isOwn(name: string): boolean {
  return name === '.git' || name.startsWith('.git/') || path.basename(name) === '.gitignore';
}
