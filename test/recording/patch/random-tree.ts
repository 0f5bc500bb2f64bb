import fs from 'node:fs';
import fc from 'fast-check';

/** The entry at a path. Paths and link targets are latin1 strings of their bytes. */
export type TreeNode = { type: 'file'; content: Buffer; executable: boolean } | { type: 'link'; target: string };
export type Tree = Map<string, TreeNode>;

/** Few names, so that two trees have many in common; files of one tree are folders of another. */
const PATHS = [
  ...['a', 'b', 'a/b', 'a/b/c', 'a/z', 'sub/deep/er/file', 'sub/file', 'sp ace', 'trailing ', 'quo"te', 'back\\slash'],
  ...[
    'new\nline',
    'tab\there',
    '\x01\x7f',
    '\xc3\xbcml\xc3\xa4ut',
    'not utf8 \xff',
    '-dash',
    'a b/c d',
    'x => y',
    '.hidden',
  ],
];
const LINES = [
  'one',
  'two',
  '',
  'three\r',
  '--- a/x',
  '+++ b/x',
  '@@ -1 +1 @@',
  '\\ No newline',
  'diff --git a/x b/x',
  '\xff\xfe',
];

const text = fc
  .tuple(fc.array(fc.constantFrom(...LINES), { maxLength: 30 }), fc.boolean())
  .map(([lines, ended]) => Buffer.from(lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''), 'latin1'));
const binary = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.concat([Buffer.from(bytes), Buffer.from([0])]));
const file = fc.record({
  type: fc.constant('file' as const),
  content: fc.oneof({ weight: 3, arbitrary: text }, binary),
  executable: fc.boolean(),
});
/** Never to itself: git cannot replace such a link by a folder. */
const link = fc.record({
  type: fc.constant('link' as const),
  target: fc.constantFrom('nowhere', 'sub', '../x', 'not utf8 \xff', 'new\nline'),
});
const node: fc.Arbitrary<TreeNode> = fc.oneof({ weight: 4, arbitrary: file }, link);

/** Two trees: the second keeps, changes, moves and removes paths of the first, and adds some. */
export const twoTrees = fc
  .tuple(
    entries(12),
    entries(5),
    fc.array(fc.nat(11)),
    fc.array(fc.tuple(fc.nat(11), fc.constantFrom(...PATHS)), { maxLength: 3 }),
  )
  .map(([first, added, dropped, moves]) => {
    const kept = first.filter((_, index) => !dropped.includes(index));
    const moved = moves.flatMap(([index, to]) => (first[index] ? [[to, first[index][1]] as const] : []));
    return { before: treeOf(first), after: treeOf([...added, ...moved, ...kept]) };
  });

function entries(maxLength: number) {
  return fc.array(fc.tuple(fc.constantFrom(...PATHS), node), { maxLength });
}

/** The first entry of a path wins; entries below a file or link, or above another entry, are left out. */
function treeOf(list: readonly (readonly [string, TreeNode])[]): Tree {
  const tree: Tree = new Map();
  for (const [path, at] of list) {
    const paths = [...tree.keys()];
    if (paths.some((one) => one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`))) continue;
    tree.set(path, at);
  }
  return tree;
}

const at = (root: string, path: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

export function writeTree(root: string, tree: Tree): void {
  for (const [path, one] of tree) {
    const cut = path.lastIndexOf('/');
    if (cut > 0) fs.mkdirSync(at(root, path.slice(0, cut)), { recursive: true });
    if (one.type === 'link') fs.symlinkSync(Buffer.from(one.target, 'latin1'), at(root, path));
    else fs.writeFileSync(at(root, path), one.content, { mode: one.executable ? 0o755 : 0o644 });
  }
}

/** Every file and link below a folder, as comparable text; without empty folders and `.git`. */
export function readTree(root: string, below = ''): string[] {
  return fs
    .readdirSync(at(root, below), { encoding: 'latin1' as BufferEncoding })
    .filter((name) => name !== '.git')
    .sort()
    .flatMap((name) => {
      const path = below === '' ? name : `${below}/${name}`;
      const stat = fs.lstatSync(at(root, path));
      if (stat.isDirectory()) return readTree(root, path);
      if (stat.isSymbolicLink()) return [`${path} -> ${fs.readlinkSync(at(root, path), 'latin1')}`];
      return [
        `${path} ${(stat.mode & 0o100) === 0 ? 'plain' : 'executable'} ${fs.readFileSync(at(root, path), 'latin1')}`,
      ];
    });
}
