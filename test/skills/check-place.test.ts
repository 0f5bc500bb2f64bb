import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkPlace } from '../../src/skills/package/check-place.ts';
import { proofSize } from '../support/proof-size.ts';
import { bombOf, renamed, withStatedSize, type ZipEntry, zipOf } from './package-zip.ts';
import { skillFile, temporaryFolder, writeFiles } from './skill-folder.ts';

const REVIEW = { 'SKILL.md': skillFile('review') };
const ENTRY: ZipEntry = { name: 'review/SKILL.md', content: skillFile('review') };

/** Writes the folder `review` with these files and checks it. */
async function checkFiles(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = path.join(temporaryFolder(), 'review');
  writeFiles(folder, files);
  return await checkOne(folder);
}

async function checkBytes(bytes: Buffer) {
  const file = path.join(temporaryFolder(), 'review.zip');
  fs.writeFileSync(file, bytes);
  const checked = await checkOne(file);
  expect(fs.readdirSync(path.dirname(file))).toEqual(['review.zip']);
  return checked;
}

async function checkOne(place: string) {
  const checked = await checkPlace(place);
  expect(checked).toHaveLength(1);
  return checked[0]!;
}

/** Codes with file and line, in order. */
function brief({ problems }: { problems: readonly { code: string; file?: string; line?: number }[] }): string[] {
  return problems.map(({ code, file = '', line = '' }) => `${code} ${file}:${line}`);
}

const runner = (manifest: object) => ({ 'assets/runner.json': JSON.stringify(manifest, null, 2) });

describe('a folder', () => {
  test('without problems', async () => {
    const { skill, problems } = await checkFiles({
      ...REVIEW,
      'scripts/run.sh': '#!/bin/sh\n',
      ...runner({ id: 'review', version: '1.2', schemas: { output: 'assets/out.json' }, something: { else: 1 } }),
      'assets/out.json': '{"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}}',
    });
    expect(problems).toEqual([]);
    expect(skill).toMatchObject({
      name: 'review',
      body: '# review\n',
      manifest: { version: '1.2', execution_modes: ['auto'] },
      schemas: { output: { type: 'object' } },
    });
    expect([...skill!.files.keys()]).toEqual(['SKILL.md', 'assets/out.json', 'assets/runner.json', 'scripts/run.sh']);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['no SKILL.md', { 'README.md': '' }, ['SKILL_PACKAGE_INVALID SKILL.md:']],
    ['no frontmatter', { 'SKILL.md': '# Review\n' }, ['SKILL_FRONTMATTER_INVALID SKILL.md:1']],
    [
      'bad YAML',
      { 'SKILL.md': '---\nname: review\ndescription: [1, 2\n---\nText\n' },
      ['SKILL_FRONTMATTER_INVALID SKILL.md:4'],
    ],
    [
      'a key that is set twice',
      { 'SKILL.md': '---\nname: review\ndescription: One.\nname: other\n---\nText\n' },
      ['SKILL_FRONTMATTER_INVALID SKILL.md:4'],
    ],
    [
      'missing fields',
      { 'SKILL.md': '---\nlicense: MIT\n---\nText\n' },
      ['SKILL_FIELD_MISSING SKILL.md:2', 'SKILL_FIELD_MISSING SKILL.md:2'],
    ],
    [
      'fields of the wrong kind',
      { 'SKILL.md': '---\ndescription: Reviews.\nrequired_env_vars: 5\nname: Review It\n---\nText\n' },
      ['SKILL_FIELD_INVALID SKILL.md:4', 'SKILL_FIELD_INVALID SKILL.md:3'],
    ],
    ['another name', { 'SKILL.md': skillFile('other') }, ['SKILL_NAME_MISMATCH SKILL.md:2']],
    [
      'a frontmatter of 1 MB',
      { 'SKILL.md': skillFile('review', { more: `note: ${'x'.repeat(2 ** 20)}\n` }) },
      ['SKILL_FRONTMATTER_TOO_LARGE SKILL.md:1'],
    ],
    ['no text', { 'SKILL.md': skillFile('review', { body: '\n' }) }, ['SKILL_PACKAGE_INVALID SKILL.md:5']],
    [
      'a colon without quotes',
      { 'SKILL.md': '---\nname: review\ndescription: Use it: always\n---\nText\n' },
      ['SKILL_FRONTMATTER_INVALID SKILL.md:2'],
    ],
    [
      'a manifest that is not JSON',
      { ...REVIEW, 'assets/runner.json': '{\n  "id": "review",\n}' },
      ['SKILL_MANIFEST_INVALID assets/runner.json:3'],
    ],
    [
      'a manifest with wrong values',
      { ...REVIEW, ...runner({ id: 'other', engines: ['codex'] }) },
      ['SKILL_MANIFEST_INVALID assets/runner.json:2'],
    ],
    [
      'wrong modes and paths',
      { ...REVIEW, ...runner({ execution_modes: ['often'], schemas: { output: '../out.json' } }) },
      ['SKILL_MANIFEST_INVALID assets/runner.json:3', 'SKILL_MANIFEST_INVALID assets/runner.json:6'],
    ],
    [
      'a missing schema',
      { ...REVIEW, ...runner({ schemas: { input: 'assets/in.json' } }) },
      ['SKILL_SCHEMA_INVALID assets/runner.json:3'],
    ],
    [
      'an invalid JSON Schema',
      {
        ...REVIEW,
        ...runner({ schemas: { input: 'in.json', output: 'out.json', parameter: 'parameter.json' } }),
        'in.json': '{\n  "properties": {\n    "a": {\n      "type": "strin"\n    }\n  }\n}',
        'out.json': '{"$ref": "https://example.com/other.json"}',
        'parameter.json': '[]',
      },
      ['SKILL_SCHEMA_INVALID in.json:4', 'SKILL_SCHEMA_INVALID parameter.json:1', 'SKILL_SCHEMA_INVALID out.json:1'],
    ],
    [
      'a schema of another draft',
      {
        ...REVIEW,
        ...runner({ schemas: { input: 'in.json' } }),
        'in.json': '{"$schema": "http://example.com/my-draft"}',
      },
      ['SKILL_SCHEMA_INVALID in.json:1'],
    ],
    [
      'JSON of a thousand levels',
      { ...REVIEW, 'assets/runner.json': `${'['.repeat(1000)}${']'.repeat(1000)}` },
      ['SKILL_MANIFEST_INVALID assets/runner.json:1'],
    ],
  ])('%s', async (_, files, expected) => {
    const checked = await checkFiles(files);
    expect(brief(checked)).toEqual(expected);
    for (const { message, fix } of checked.problems) expect([message, fix].join('')).toMatch(/\S.{20}/);
  });

  test('warnings do not reject it', async () => {
    const { skill, problems } = await checkFiles({ 'SKILL.md': skillFile('review', { body: '' }) });
    expect(problems).toMatchObject([{ severity: 'warning' }]);
    expect(skill?.name).toBe('review');
  });

  test('with a file called skill.md', async () => {
    const { problems } = await checkFiles({ 'skill.md': skillFile('review') });
    expect(problems).toMatchObject([{ code: 'SKILL_PACKAGE_INVALID', fix: 'Rename skill.md to SKILL.md.' }]);
  });

  test.each([
    ['to a file outside', '/etc/passwd', 'SKILL_LINK_OUTSIDE'],
    ['upwards', '../../secret', 'SKILL_LINK_OUTSIDE'],
    ['to nothing', 'gone', 'SKILL_LINK_OUTSIDE'],
    ['to itself', 'link', 'SKILL_LINK_OUTSIDE'],
    ['to a folder inside', 'scripts', 'SKILL_PACKAGE_INVALID'],
  ])('with a link %s', async (_, target, code) => {
    const root = temporaryFolder();
    const folder = path.join(root, 'review');
    writeFiles(root, { secret: 'secret', 'review/scripts/a': '', 'review/SKILL.md': skillFile('review') });
    fs.symlinkSync(target, path.join(folder, 'link'));
    const { skill, problems } = await checkOne(folder);
    expect(skill).toBeNull();
    expect(problems).toMatchObject([{ code }]);
    expect(JSON.stringify(problems)).toContain('link');
  });

  test('a link to a file inside is a copy of it', async () => {
    const folder = path.join(temporaryFolder(), 'review');
    writeFiles(folder, { ...REVIEW, 'references/a.md': 'text' });
    fs.symlinkSync('references/a.md', path.join(folder, 'a.md'));
    const { skill } = await checkOne(folder);
    expect(skill!.files.get('a.md')!.bytes.toString()).toBe('text');
  });

  test('with too many files', async () => {
    const files = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`f${index}`, '']));
    expect(brief(await checkFiles({ ...REVIEW, ...files }))).toEqual(['SKILL_PACKAGE_TOO_LARGE :']);
  });

  test('with a file that has a hole of a gigabyte', async () => {
    const folder = path.join(temporaryFolder(), 'review');
    writeFiles(folder, { ...REVIEW, large: '' });
    fs.truncateSync(path.join(folder, 'large'), 2 ** 30);
    expect(brief(await checkOne(folder))).toEqual(['SKILL_PACKAGE_TOO_LARGE :']);
  });
});

describe('several skills', () => {
  test('below a folder, each with its own problems', async () => {
    const root = temporaryFolder();
    writeFiles(root, {
      'README.md': '',
      'skills/one/SKILL.md': skillFile('one'),
      'skills/two/SKILL.md': skillFile('three'),
      'skills/group/four/SKILL.md': skillFile('four'),
    });
    const checked = await checkPlace(root);
    expect(checked.map(({ place, skill }) => [path.relative(root, place), skill?.name])).toEqual([
      ['skills/group/four', 'four'],
      ['skills/one', 'one'],
      ['skills/two', undefined],
    ]);
  });

  test('with the same name: both are rejected and each names the other', async () => {
    const root = temporaryFolder();
    writeFiles(root, { 'a/review/SKILL.md': skillFile('review'), 'b/review/SKILL.md': skillFile('review') });
    const checked = await checkPlace(root);
    expect(checked.map((one) => [one.skill, ...brief(one)])).toEqual([
      [null, 'SKILL_DUPLICATE_NAME SKILL.md:'],
      [null, 'SKILL_DUPLICATE_NAME SKILL.md:'],
    ]);
    expect(checked[0]!.problems[0]!.message).toContain(`${root}/b/review`);
  });

  test('a checkout that is a skill may have any name, and its .git is left out', async () => {
    const root = temporaryFolder();
    writeFiles(root, { 'SKILL.md': skillFile('review'), '.git/HEAD': 'ref: refs/heads/main\n' });
    const { skill, problems } = await checkOne(root);
    expect(problems).toEqual([]);
    expect([...skill!.files.keys()]).toEqual(['SKILL.md']);
  });
});

describe('a zip', () => {
  test.each([
    ['with a top folder', 'review/'],
    ['without', ''],
  ])('%s', async (_, top) => {
    const { skill, problems } = await checkBytes(
      await zipOf([
        { name: `${top}SKILL.md`, content: skillFile('review') },
        { name: `${top}scripts/run.sh`, content: '#!/bin/sh\n', mode: 0o100755 },
        { name: `${top}run`, content: 'scripts/run.sh', mode: 0o120777 },
      ]),
    );
    expect(problems).toEqual([]);
    expect(Array.from(skill!.files, ([name, { isExecutable }]) => [name, isExecutable])).toEqual([
      ['SKILL.md', false],
      ['scripts/run.sh', true],
      ['run', true],
    ]);
  });

  test.each<[string, () => Promise<Buffer>, string]>([
    [
      'upwards',
      async () => renamed(await zipOf([ENTRY, { name: 'xx/evil', content: '' }]), 'xx/evil', '../evil'),
      'SKILL_PATH_UNSAFE',
    ],
    [
      'an absolute path',
      async () => renamed(await zipOf([ENTRY, { name: 'xetc/evil', content: '' }]), 'xetc/evil', '/etc/evil'),
      'SKILL_PATH_UNSAFE',
    ],
    [
      'backslashes',
      async () => renamed(await zipOf([ENTRY, { name: 'xx.evil', content: '' }]), 'xx.evil', '..\\evil'),
      'SKILL_PATH_UNSAFE',
    ],
    [
      'a file twice',
      async () => renamed(await zipOf([ENTRY, { name: 'review/SKILL.mx', content: '' }]), 'SKILL.mx', 'SKILL.md'),
      'SKILL_PATH_UNSAFE',
    ],
    [
      'a file that is also a folder',
      async () => zipOf([ENTRY, { name: 'review/SKILL.md/a', content: '' }]),
      'SKILL_PATH_UNSAFE',
    ],
    [
      'a link upwards',
      async () => zipOf([ENTRY, { name: 'review/a', content: '../../secret', mode: 0o120777 }]),
      'SKILL_LINK_OUTSIDE',
    ],
    [
      'a link to an absolute path',
      async () => zipOf([ENTRY, { name: 'review/a', content: '/etc/passwd', mode: 0o120777 }]),
      'SKILL_LINK_OUTSIDE',
    ],
    [
      'a link to a link',
      async () =>
        zipOf([
          ENTRY,
          { name: 'review/a', content: 'b', mode: 0o120777 },
          { name: 'review/b', content: 'a', mode: 0o120777 },
        ]),
      'SKILL_LINK_OUTSIDE',
    ],
    [
      'a bomb',
      async () => bombOf(proofSize({ small: 65 * 2 ** 20, full: 2 ** 30 }), [ENTRY]),
      'SKILL_PACKAGE_TOO_LARGE',
    ],
    [
      'a bomb that states a gigabyte',
      async () => withStatedSize(await zipOf([ENTRY]), 2 ** 30),
      'SKILL_PACKAGE_TOO_LARGE',
    ],
    [
      'a bomb that states ten bytes',
      async () => withStatedSize(await bombOf(2 ** 20, [ENTRY]), 10),
      'SKILL_PACKAGE_INVALID',
    ],
    ['half a zip', async () => (await zipOf([ENTRY])).subarray(0, 60), 'SKILL_PACKAGE_INVALID'],
    ['not a zip', async () => Buffer.from('hello'), 'SKILL_PACKAGE_INVALID'],
    ['nothing', async () => Buffer.alloc(0), 'SKILL_PACKAGE_INVALID'],
    ['two top folders', async () => zipOf([ENTRY, { name: 'other/a', content: '' }]), 'SKILL_PACKAGE_INVALID'],
    ['another name', async () => zipOf([{ ...ENTRY, name: 'other/SKILL.md' }]), 'SKILL_NAME_MISMATCH'],
  ])('rejects %s', async (_, make, code) => {
    const { skill, problems } = await checkBytes(await make());
    expect(skill).toBeNull();
    expect(problems).toMatchObject([{ code, severity: 'error' }]);
  });
});

test.each([
  ['a path that does not exist', '/nowhere/review'],
  ['a device', '/dev/null'],
])('%s', async (_, place) => {
  await expect(checkPlace(place)).rejects.toMatchObject({ code: 'SKILL_PACKAGE_INVALID' });
});
