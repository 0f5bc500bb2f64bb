import { describe, expect, it } from 'vitest';
import type { FsChange, FsEntry } from '../../../src/protocol/index.ts';
import { planPatch } from '../../../src/recording/patch/plan-patch.ts';
import { quoteName } from '../../../src/recording/patch/quote-name.ts';
import { writePatch } from '../../../src/recording/patch/write-patch.ts';

const contents = new Map([
  ['1', 'one\n'],
  ['2', 'two\n'],
]);

function entry(path: string, more: Partial<FsEntry> = {}): FsEntry {
  return { path, type: 'file', size: 4, mtime_ns: '0', mode: 0o644, sha256: '1'.repeat(64), ...more };
}

/** A change from one entry to another; the content of a file is kept unless `kept` is false. */
function change(before: FsEntry | null, after: FsEntry | null, { kept = true, injected = false } = {}): FsChange {
  const { path, type } = (after ?? before)!;
  const blob = (one: FsEntry | null) => (kept && one?.type === 'file' ? one.sha256 : null);
  return {
    path,
    type,
    before,
    after,
    before_blob: blob(before),
    after_blob: blob(after),
    ...(injected ? { injected } : {}),
  };
}

function patchOf(changes: readonly FsChange[], prefix = ''): string {
  const readBlob = (sha256: string) => Buffer.from(contents.get(sha256[0]!) ?? '');
  return planPatch(changes)
    .steps.map((step) => writePatch(step, { readBlob, prefix }).patch?.toString('latin1') ?? `missing ${step.path}\n`)
    .join('');
}

describe('planPatch', () => {
  it('treats a deletion and a creation with the same content as a rename, even if the content was not kept', () => {
    const moved = [
      change(entry('old/name'), null, { kept: false }),
      change(null, entry('a'), { kept: false }),
      change(null, entry('new/name', { mode: 0o755 }), { kept: false }),
    ];
    expect(patchOf(moved)).toBe(
      'missing a\n' +
        'diff --git a/old/name b/new/name\nold mode 100644\nnew mode 100755\n' +
        'similarity index 100%\nrename from old/name\nrename to new/name\n',
    );
  });

  it('needs no content for a change of mode', () => {
    expect(patchOf([change(entry('a'), entry('a', { mode: 0o700 }), { kept: false })])).toBe(
      'diff --git a/a b/a\nold mode 100644\nnew mode 100755\n',
    );
  });

  it('leaves out changes that git cannot express, and says why', () => {
    const folder = { type: 'directory', sha256: null } as const;
    const plan = planPatch([
      change(entry('private'), entry('private', { mode: 0o600 })),
      change(null, entry('empty', folder)),
      change(null, entry('full', folder)),
      change(null, entry('full/file')),
      change(entry('folder', folder), entry('folder', { ...folder, mode: 0o700 })),
      change(null, entry('pipe', { type: 'other', sha256: null })),
      change(entry('.git/config'), entry('.git/config', { sha256: '2'.repeat(64) })),
      change(null, entry('sub/.GIT/hooks/x')),
      change(null, entry('.gitignore')),
      change(null, entry('put there'), { injected: true }),
    ]);
    expect(plan.steps.map(({ path }) => path)).toEqual(['.gitignore', 'full/file']);
    expect(plan.inexpressible).toEqual([
      { path: 'private', reason: 'permissions' },
      { path: 'empty', reason: 'empty_folder' },
      { path: 'folder', reason: 'permissions' },
      { path: 'pipe', reason: 'special_file' },
      { path: '.git/config', reason: 'git_folder' },
      { path: 'sub/.GIT/hooks/x', reason: 'git_folder' },
    ]);
  });
});

describe('writePatch', () => {
  it('writes the same as git diff', () => {
    const after = entry('a b', { sha256: '2'.repeat(64) });
    expect(patchOf([change(entry('a b'), after)], 'pre/')).toBe(
      'diff --git a/pre/a b b/pre/a b\n' +
        'index 5626abf0f72e58d7a153368ba57db4c673c0e171..f719efd430d52bcfc8566a43b2eb655688d38871 100644\n' +
        '--- a/pre/a b\t\n+++ b/pre/a b\t\n@@ -1,1 +1,1 @@\n-one\n+two\n',
    );
  });

  it('can leave out binary content, and says that it differs', () => {
    const [step] = planPatch([change(null, entry('a b'))]).steps;
    const part = writePatch(step!, { readBlob: () => Buffer.from('\0'), binaryContent: 'omit' });
    expect(part.patch!.toString()).toBe(
      'diff --git a/a b b/a b\nnew file mode 100644\n' +
        `index ${'0'.repeat(40)}..f76dd238ade08917e6712764a16a22005a50573d\n` +
        'Binary files /dev/null and b/a b differ\n',
    );
  });

  it('names each side whose content is missing', () => {
    const [step] = planPatch([change(entry('a'), entry('a', { sha256: null }))]).steps;
    const part = writePatch(step!, { readBlob: () => null });
    expect(part).toMatchObject({
      patch: null,
      missing: [{ entry: { sha256: '1'.repeat(64) } }, { entry: { sha256: null } }],
    });
  });
});

describe('quoteName', () => {
  it.each([
    ['plain name~', 'plain name~'],
    ['say "x"\\', '"say \\"x\\"\\\\"'],
    ['line\nend\x01\x7f', '"line\\nend\\001\\177"'],
    ['\xc3\xbc', '"\\303\\274"'],
  ])('%j', (name, quoted) => {
    expect(quoteName(name)).toBe(quoted);
  });
});
