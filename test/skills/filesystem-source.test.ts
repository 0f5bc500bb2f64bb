import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FilesystemSkillSource, sourceRules } from '../../src/skills/index.ts';
import { makeOld, skillFile, temporaryFolder, writeFiles } from './skill-folder.ts';

const request = () => ({ signal: new AbortController().signal });

function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = temporaryFolder();
  writeFiles(root, files);
  return root;
}

async function scan(root: string) {
  const { skills, problems } = await new FilesystemSkillSource('files', root).scan('team', request());
  return {
    names: skills.map(({ name }) => name),
    problems: problems.map(({ code, file }) => [code, path.relative(root, file!)]),
  };
}

describe('the rules of all sources', () => {
  for (const { title, check } of sourceRules) {
    test(title, async () => {
      const root = temporaryFolder();
      const at = (name: string) => path.join(root, name, 'SKILL.md');
      await check({
        open: async () => ({
          source: new FilesystemSkillSource('files', root),
          add: async ({ name, description, body, required_env_vars, metadata }) => {
            const head = JSON.stringify({ name, description, required_env_vars, metadata });
            writeFiles(root, { [`${name}/SKILL.md`]: `---\n${head}\n---\n${body}` });
          },
          remove: async ({ name }) => fs.rmSync(path.dirname(at(name)), { recursive: true }),
        }),
      });
    });
  }
});

describe('finding skills', () => {
  test('a skill is a folder with a SKILL.md, at most three levels deep, and nothing inside of it', async () => {
    const root = folder({
      'one/SKILL.md': skillFile('one'),
      'one/inner/SKILL.md': skillFile('inner'),
      'group/two/SKILL.md': skillFile('two'),
      'group/sub/three/SKILL.md': skillFile('three'),
      'group/sub/deep/four/SKILL.md': skillFile('four'),
      '.git/hidden/SKILL.md': skillFile('hidden'),
      'node_modules/package/SKILL.md': skillFile('package'),
      'README.md': 'text',
    });
    expect(await scan(root)).toEqual({ names: ['three', 'two', 'one'], problems: [] });
  });

  test('the root itself may be a skill', async () => {
    const root = folder({ 'review/SKILL.md': skillFile('review') });
    expect((await scan(path.join(root, 'review'))).names).toEqual(['review']);
  });

  test('a missing root has no skills, and a root that is a file is unavailable', async () => {
    const root = folder({ file: 'text' });
    expect(await scan(path.join(root, 'missing'))).toEqual({ names: [], problems: [] });
    await expect(scan(path.join(root, 'file'))).rejects.toMatchObject({ code: 'SKILL_SOURCE_UNAVAILABLE' });
  });

  test('a head of up to 64 KiB is read, and the body is not', async () => {
    const root = folder({ 'review/SKILL.md': skillFile('review', { more: `# ${'x'.repeat(60_000)}\n` }) });
    fs.truncateSync(path.join(root, 'review/SKILL.md'), 4 * 2 ** 30);
    expect((await scan(root)).names).toEqual(['review']);
  });
});

describe('a bad skill is a problem with its code and file, and the others are found', () => {
  test.each([
    ['SKILL_FRONTMATTER_INVALID', '# No head\n'],
    ['SKILL_FRONTMATTER_INVALID', '---\nname: [bad\n---\n'],
    ['SKILL_FRONTMATTER_TOO_LARGE', skillFile('bad', { more: `# ${'x'.repeat(2 ** 20)}\n` })],
    ['SKILL_FIELD_MISSING', '---\nname: bad\n---\n'],
    ['SKILL_FIELD_MISSING', '---\ndescription: No name.\n---\n'],
    ['SKILL_FIELD_INVALID', '---\nname: Bad Name\ndescription: x\n---\n'],
    ['SKILL_FIELD_INVALID', '---\nname: bad\ndescription: [a]\n---\n'],
    ['SKILL_FIELD_INVALID', skillFile('bad', { more: 'required_env_vars: A=1\n' })],
    ['SKILL_FIELD_INVALID', skillFile('bad', { more: 'metadata: text\n' })],
    ['SKILL_NAME_MISMATCH', skillFile('other')],
  ])('%s', async (code, text) => {
    const root = folder({ 'bad/SKILL.md': text, 'good/SKILL.md': skillFile('good') });
    expect(await scan(root)).toEqual({ names: ['good'], problems: [[code, 'bad/SKILL.md']] });
  });

  test('a link is followed inside of the root, and rejected when it leads out', async () => {
    const outside = folder({ 'secret/SKILL.md': skillFile('secret') });
    const root = folder({ 'real/SKILL.md': skillFile('shared') });
    fs.symlinkSync('real', path.join(root, 'shared'));
    fs.symlinkSync(path.join(outside, 'secret'), path.join(root, 'secret'));
    fs.mkdirSync(path.join(root, 'file'));
    fs.symlinkSync(path.join(outside, 'secret/SKILL.md'), path.join(root, 'file/SKILL.md'));
    fs.symlinkSync(outside, path.join(root, 'group'));
    expect(await scan(root)).toEqual({
      names: ['shared'],
      problems: [
        ['SKILL_LINK_OUTSIDE', 'file/SKILL.md'],
        ['SKILL_NAME_MISMATCH', 'real/SKILL.md'],
        ['SKILL_LINK_OUTSIDE', 'secret/SKILL.md'],
      ],
    });
  });

  test('a folder in the place of SKILL.md is rejected', async () => {
    const root = folder({ 'bad/SKILL.md/inner': 'text' });
    expect((await scan(root)).problems).toEqual([['SKILL_PACKAGE_INVALID', 'bad/SKILL.md']]);
  });
});

describe('scanning again', () => {
  test('reads only files that changed', async () => {
    const root = folder({ 'one/SKILL.md': skillFile('one'), 'two/SKILL.md': skillFile('two') });
    await untilOld(root);
    const source = new FilesystemSkillSource('files', root);
    const first = await source.scan('team', request());
    writeFiles(root, { 'two/SKILL.md': skillFile('two', { description: 'Changed.' }) });
    const second = await source.scan('team', request());
    expect(second.skills.map(({ description }) => description)).toEqual(['Does one.', 'Changed.']);
    // The unchanged one is what was read before, and the changed one is new.
    expect(second.skills[0]!.metadata).toBe(first.skills[0]!.metadata);
    expect(second.skills[1]!.metadata).not.toBe(first.skills[1]!.metadata);
  });

  test('notices a file of the same size and the same time of change', async () => {
    const root = folder({ 'one/SKILL.md': skillFile('one', { description: 'aaa' }) });
    const file = path.join(root, 'one/SKILL.md');
    makeOld(file);
    const source = new FilesystemSkillSource('files', root);
    await source.scan('team', request());
    fs.writeFileSync(file, skillFile('one', { description: 'bbb' }));
    makeOld(file);
    expect((await source.scan('team', request())).skills[0]!.description).toBe('bbb');
  });

  test('notices a SKILL.md that appears in a known folder, and one that goes', async () => {
    const root = folder({ 'one/SKILL.md': skillFile('one'), 'two/notes.md': 'text' });
    const source = new FilesystemSkillSource('files', root);
    await source.scan('team', request());
    fs.rmSync(path.join(root, 'one/SKILL.md'));
    writeFiles(root, { 'two/SKILL.md': skillFile('two') });
    expect((await source.scan('team', request())).skills.map(({ name }) => name)).toEqual(['two']);
  });
});

test('a text is read through no link that leads out, even if the link was put there after the scan', async () => {
  const outside = folder({ 'SKILL.md': skillFile('one', { body: 'secret' }) });
  const root = folder({ 'one/SKILL.md': skillFile('one') });
  const source = new FilesystemSkillSource('files', root);
  const [skill] = (await source.scan('team', request())).skills;
  fs.rmSync(path.join(root, 'one'), { recursive: true });
  fs.symlinkSync(outside, path.join(root, 'one'));
  await expect(source.readBody(skill!, { ...request(), maxBytes: 1000 })).rejects.toMatchObject({
    code: 'SKILL_LINK_OUTSIDE',
  });
});

/** Waits until the times of files are old enough to be relied on. */
async function untilOld(root: string): Promise<void> {
  const changed = fs.statSync(path.join(root, 'two/SKILL.md')).ctimeMs;
  await expect.poll(() => Date.now() - changed).toBeGreaterThan(60);
}
