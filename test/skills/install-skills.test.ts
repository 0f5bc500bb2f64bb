import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { checkPlace } from '../../src/skills/package/check-place.ts';
import { installSkills, removeSkillFolder } from '../../src/skills/package/install-skills.ts';
import { removeLeftovers } from '../../src/skills/package/leftovers.ts';
import { newSkillFiles } from '../../src/skills/package/new-skill.ts';
import type { PackageFiles } from '../../src/skills/package/package-files.ts';
import { temporaryFolder, writeFiles } from './skill-folder.ts';

const skill = (name: string, text = name) => {
  const files: PackageFiles = new Map([
    ['SKILL.md', { bytes: Buffer.from(text), isExecutable: false }],
    ['scripts/run', { bytes: Buffer.from('#!/bin/sh\n'), isExecutable: true }],
  ]);
  return { name, files };
};

test('copies all files, private and executable as they were', () => {
  const root = path.join(temporaryFolder(), 'data/skills');
  expect(installSkills([skill('one'), skill('two')], root)).toEqual([`${root}/one`, `${root}/two`]);
  expect(fs.readdirSync(root).sort()).toEqual(['one', 'two']);
  const modeOf = (file: string) => fs.statSync(path.join(root, file)).mode & 0o777;
  expect([modeOf('one'), modeOf('one/SKILL.md'), modeOf('one/scripts/run')]).toEqual([0o700, 0o600, 0o700]);
});

test('an existing skill is left alone, and none of the others is added', () => {
  const root = temporaryFolder();
  installSkills([skill('two', 'old')], root);
  expect(() => installSkills([skill('one'), skill('two', 'new')], root)).toThrow(
    expect.objectContaining({ code: 'SKILL_EXISTS' }),
  );
  expect(fs.readdirSync(root)).toEqual(['two']);
  expect(fs.readFileSync(`${root}/two/SKILL.md`, 'utf8')).toBe('old');
});

test('a skill is replaced as a whole, also one that is a link', () => {
  const [root, elsewhere] = [temporaryFolder(), temporaryFolder()];
  installSkills([skill('one', 'old')], root);
  writeFiles(elsewhere, { 'SKILL.md': 'mine' });
  writeFiles(root, { 'one/more': '' });
  fs.symlinkSync(elsewhere, `${root}/two`);
  installSkills([skill('one', 'new'), skill('two')], root, { replace: true });
  expect(fs.readdirSync(root).sort()).toEqual(['one', 'two']);
  expect(fs.readdirSync(`${root}/one`).sort()).toEqual(['SKILL.md', 'scripts']);
  expect(fs.readFileSync(`${elsewhere}/SKILL.md`, 'utf8')).toBe('mine');
});

test('when one cannot be written, everything is as before', () => {
  const root = temporaryFolder();
  installSkills([skill('one', 'old')], root);
  const impossible: PackageFiles = new Map([['x'.repeat(300), { bytes: Buffer.alloc(0), isExecutable: false }]]);
  const skills = [skill('one', 'new'), { name: 'two', files: impossible }];
  expect(() => installSkills(skills, root, { replace: true })).toThrow(
    expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE' }),
  );
  expect(fs.readdirSync(root)).toEqual(['one']);
  expect(fs.readFileSync(`${root}/one/SKILL.md`, 'utf8')).toBe('old');
});

test('when another process adds one of them meanwhile, those before it are removed again', () => {
  const root = temporaryFolder();
  const rename = vi.spyOn(fs, 'renameSync').mockImplementationOnce((from, to) => {
    rename.mockRestore();
    fs.renameSync(from, to);
    writeFiles(root, { 'two/SKILL.md': 'theirs' });
  });
  expect(() => installSkills([skill('one'), skill('two')], root)).toThrow(
    expect.objectContaining({ code: 'SKILL_EXISTS' }),
  );
  expect(fs.readdirSync(root)).toEqual(['two']);
  expect(fs.readFileSync(`${root}/two/SKILL.md`, 'utf8')).toBe('theirs');
});

describe('what a killed process left behind', () => {
  /** No process has this number: it is beyond the largest that Linux allows. */
  const DEAD = 2 ** 22 + 1;
  const leftover = (name: string, pid = DEAD) => `.${name}.${pid}.0123abcd.tmp`;

  test('is removed by the next add or remove; files of others stay', () => {
    const root = temporaryFolder();
    const stay = ['.hidden', '.one.tmp', leftover('live', process.pid)];
    for (const name of [leftover('one'), leftover('two.old'), ...stay]) writeFiles(root, { [`${name}/SKILL.md`]: 'x' });
    installSkills([skill('one'), skill('two')], root, { replace: true });
    expect(fs.readdirSync(root).sort()).toEqual([...stay, 'one', 'two'].sort());
    writeFiles(root, { [`${leftover('removed')}/SKILL.md`]: 'x' });
    removeSkillFolder(`${root}/one`);
    expect(fs.readdirSync(root).sort()).toEqual([...stay, 'two'].sort());
  });

  test('a skill that it was about to replace is put back', () => {
    const root = temporaryFolder();
    writeFiles(root, { [`${leftover('one.old')}/SKILL.md`]: 'old', [`${leftover('one')}/SKILL.md`]: 'new' });
    removeLeftovers(root);
    expect(fs.readdirSync(root)).toEqual(['one']);
    expect(fs.readFileSync(`${root}/one/SKILL.md`, 'utf8')).toBe('old');
  });

  test('a link is removed without its target', () => {
    const [root, elsewhere] = [temporaryFolder(), temporaryFolder()];
    writeFiles(elsewhere, { 'SKILL.md': 'mine' });
    fs.symlinkSync(elsewhere, `${root}/${leftover('one')}`);
    removeLeftovers(root);
    expect([fs.readdirSync(root), fs.readdirSync(elsewhere)]).toEqual([[], ['SKILL.md']]);
  });

  test('a folder that does not exist has none', () => {
    expect(() => removeLeftovers('/nowhere/skills')).not.toThrow();
  });
});

test('a skill whose folder has a very long name is removed', () => {
  const root = temporaryFolder();
  const name = 'x'.repeat(250);
  writeFiles(root, { [`group/${name}/SKILL.md`]: 'x' });
  removeSkillFolder(`${root}/group/${name}`, root);
  expect(fs.readdirSync(`${root}/group`)).toEqual([]);
});

test('removes a folder, or a link without its target', () => {
  const [root, elsewhere] = [temporaryFolder(), temporaryFolder()];
  installSkills([skill('one')], root);
  writeFiles(elsewhere, { 'SKILL.md': 'mine' });
  fs.symlinkSync(elsewhere, `${root}/two`);
  removeSkillFolder(`${root}/one`);
  removeSkillFolder(`${root}/two`);
  expect(fs.readdirSync(root)).toEqual([]);
  expect(fs.readdirSync(elsewhere)).toEqual(['SKILL.md']);
  expect(() => removeSkillFolder(`${root}/one`)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE' }));
});

test.each([
  ['a plain one', { name: 'review' }],
  ['one with schemas', { name: 'a_b-1', withSchemas: true }],
  ['one with an awkward description', { name: 'review', description: 'Says "no": #1, {x} & *y\n---\n' }],
  ['one without a description', { name: 'review', description: ' ' }],
])('a new skill has no problems: %s', async (_, wanted) => {
  const root = temporaryFolder();
  installSkills([{ name: wanted.name, files: newSkillFiles(wanted) }], root);
  expect((await checkPlace(root)).flatMap(({ problems }) => problems)).toEqual([]);
});

test.each(['', 'Review', '../x', 'a/b', 'x'.repeat(65)])('%j is not a name', (name) => {
  expect(() => newSkillFiles({ name })).toThrow(expect.objectContaining({ code: 'SKILL_FIELD_INVALID' }));
});
