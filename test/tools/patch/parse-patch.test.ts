import { describe, expect, it } from 'vitest';
import { PatchSyntaxError } from '../../../src/tools/patch/file-patch.ts';
import { parsePatch, pathsOfPatch } from '../../../src/tools/patch/parse-patch.ts';

const marked = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('parsePatch', () => {
  it('reads files by marker lines', () => {
    const patch = marked(
      '*** Add File: new.txt',
      '+one',
      '+',
      '*** Delete File: old.txt',
      '*** Update File: a.txt',
      '*** Move to: b.txt',
      '@@ class A',
      '@@ method()',
      ' context',
      '-old',
      '+new',
      '',
      '@@',
      '+last',
      '*** End of File',
    );
    expect(parsePatch(`\n${patch}\n\n`)).toEqual([
      { kind: 'add', path: 'new.txt', content: 'one\n\n' },
      { kind: 'delete', path: 'old.txt', hunks: [] },
      {
        kind: 'update',
        path: 'a.txt',
        moveTo: 'b.txt',
        hunks: [
          {
            at: null,
            anchors: ['class A', 'method()'],
            isAtEnd: false,
            lines: [
              { kind: 'context', text: 'context' },
              { kind: 'old', text: 'old' },
              { kind: 'new', text: 'new' },
              { kind: 'context', text: '' },
            ],
          },
          { at: null, anchors: [], isAtEnd: true, lines: [{ kind: 'new', text: 'last' }] },
        ],
      },
    ]);
  });

  it('reads the output of git diff', () => {
    const patch = `diff --git a/one.txt b/one.txt
index 1..2 100644
--- a/one.txt
+++ b/one.txt
@@ -3 +3,2 @@ function
-old
+new
+more
\\ No newline at end of file
diff --git "a/\\303\\244 \\"x\\".txt" "b/\\303\\244 \\"x\\".txt"
new file mode 100755
--- /dev/null
+++ "b/\\303\\244 \\"x\\".txt"
@@ -0,0 +1 @@
+content
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
--- a line that begins like a header
diff --git a/from b/to
similarity index 100%
rename from from
rename to to
`;
    expect(parsePatch(patch)).toEqual([
      {
        kind: 'update',
        path: 'one.txt',
        moveTo: null,
        hunks: [
          {
            at: 3,
            anchors: [],
            isAtEnd: false,
            lines: [
              { kind: 'old', text: 'old' },
              { kind: 'new', text: 'new' },
              { kind: 'new', text: 'more', isUnended: true },
            ],
          },
        ],
      },
      { kind: 'add', path: 'ä "x".txt', content: 'content\n', mode: 0o755 },
      {
        kind: 'delete',
        path: 'gone',
        hunks: [
          { at: 1, anchors: [], isAtEnd: false, lines: [{ kind: 'old', text: '-- a line that begins like a header' }] },
        ],
      },
      { kind: 'update', path: 'from', moveTo: 'to', hunks: [] },
    ]);
  });

  it('reads the output of diff -u, with its times', () => {
    const patch = '--- a.txt\t2026-01-01 00:00:00\n+++ a.txt\t2026-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n';
    expect(parsePatch(patch)).toMatchObject([{ kind: 'update', path: 'a.txt', moveTo: null }]);
  });

  it.each([
    ['nothing', '', 1],
    ['other text', 'Here is the patch', 1],
    ['a missing end', '*** Begin Patch\n*** Delete File: a', 2],
    ['a missing head', marked('+a'), 2],
    ['an unknown marker', marked('*** Rename File: a'), 2],
    ['a line without a sign', marked('*** Update File: a', '@@', 'text'), 4],
    ['an added file with context', marked('*** Add File: a', '+a', ' b'), 4],
    ['lines after a removal', marked('*** Delete File: a', '-a'), 3],
    ['an update without hunks', marked('*** Update File: a'), 2],
    ['a hunk without lines', marked('*** Update File: a', '@@ x'), 3],
    ['too few lines', '--- a\n+++ a\n@@ -1,3 +1,3 @@\n a\n-b\n+c', 3],
    ['too many lines', '--- a\n+++ a\n@@ -1 +1 @@\n-b\n+c\n+d', 3],
    ['a broken range', '--- a\n+++ a\n@@ 1,2 @@\n-b\n+c', 3],
    ['no hunk', '--- a\n+++ a\n', 2],
    ['text between files', '--- a\n+++ a\n@@ -1 +1 @@\n-b\n+c\nand then\n', 6],
    ['a binary change', 'diff --git a/x b/x\nBinary files a/x and b/x differ', 1],
    ['no file at all', '--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a', 1],
    ['a new file with old lines', '--- /dev/null\n+++ b/a\n@@ -1 +1 @@\n-a\n+b', 3],
  ])('names the line for %s', (_, patch, line) => {
    let found: unknown;
    try {
      parsePatch(patch);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(PatchSyntaxError);
    expect((found as PatchSyntaxError).line).toBe(line);
    expect(pathsOfPatch(patch)).toEqual([]);
  });
});
