import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { zipOf } from '../skills/package-zip.ts';
import { skillFile, writeFiles } from '../skills/skill-folder.ts';
import { sandbox } from '../support/tacho.ts';

/** A folder, the data folder of a user, and `tacho skills` in it. */
function place() {
  const box = sandbox();
  const skills = (...words: string[]) => box.here(['skills', ...words]);
  const json = async <T>(...words: string[]) => JSON.parse((await skills(...words, '--json')).stdout) as T;
  const code = async (...words: string[]) => (await json<{ error: { code: string } }>(...words)).error.code;
  return { ...box, skills, json, code, own: path.join(box.home, 'skills') };
}

test('a skill is made, checked, listed, shown and removed', async () => {
  const { skills, json, own } = place();
  expect((await skills()).stdout).toBe('There are no skills here.\n');
  const made = await skills('new', 'review', '--schemas', '--description', 'Reviews a diff.');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain(`${own}/review/assets/runner.json`);
  expect(await skills('check')).toMatchObject({ code: 0, stdout: '✔ review\n1 skill: no problems\n' });
  expect((await skills('list')).stdout).toBe('SKILL   NAMESPACE  DESCRIPTION\nreview  user       Reviews a diff.\n');
  expect(await json('list')).toMatchObject({ skills: [{ name: 'review', namespace: 'user' }], problems: [] });
  const shown = (await skills('show', 'review')).stdout;
  expect(shown).toMatch(/^review {2}Reviews a diff\.\n {2}mention {3}\$\[user\]\.review\n/);
  expect(shown).toContain('input: assets/input.json, output: assets/output.json');
  expect(await json('show', '$[user].review')).toMatchObject({
    skill: { name: 'review', manifest: { version: '0.1.0' }, body: expect.stringContaining('# review') },
  });
  expect(await json('remove', 'review', '--yes')).toEqual({ removed: [{ name: 'review', folder: `${own}/review` }] });
  expect(fs.readdirSync(own)).toEqual([]);
});

test('add copies from a folder, a checkout and a zip', async () => {
  const { skills, json, work, own } = place();
  writeFiles(work, {
    'one/SKILL.md': skillFile('one'),
    'checkout/.git/HEAD': '',
    'checkout/skills/two/SKILL.md': skillFile('two'),
    'checkout/skills/three/SKILL.md': skillFile('three'),
    'checkout/skills/broken/SKILL.md': 'nothing',
    'four.zip': await zipOf([{ name: 'four/SKILL.md', content: skillFile('four') }]),
  });
  expect((await skills('add', 'one')).stdout).toBe(`✔ added one  ${own}/one\n`);
  expect(await json('add', 'checkout', 'two')).toEqual({ added: [{ name: 'two', folder: `${own}/two` }] });
  expect((await skills('add', 'four.zip')).code).toBe(0);
  expect(fs.readdirSync(own).sort()).toEqual(['four', 'one', 'two']);

  const refused = await skills('add', 'checkout');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('nothing was added: checkout/skills/broken/SKILL.md:1: it has no frontmatter');
  expect(refused.stderr).toContain('[SKILL_FRONTMATTER_INVALID]');
  expect((await skills('add', 'checkout', 'thre')).stderr).toContain('Did you mean three?');
  expect(fs.readdirSync(own).sort()).toEqual(['four', 'one', 'two']);
});

test('add refuses to replace a skill unless told to', async () => {
  const { code, skills, work, own } = place();
  writeFiles(work, { 'one/SKILL.md': skillFile('one') });
  await skills('add', 'one');
  writeFiles(work, { 'one/SKILL.md': skillFile('one', { body: 'New.\n' }) });
  expect(await code('add', 'one')).toBe('SKILL_EXISTS');
  expect((await skills('add', 'one', '--replace')).code).toBe(0);
  expect(fs.readFileSync(`${own}/one/SKILL.md`, 'utf8')).toContain('New.');
  expect(await code('new', 'one')).toBe('SKILL_EXISTS');
});

test('the skills of a project count after tacho trust', async () => {
  const { here, jsonHere, skills, json, work } = place();
  expect((await skills('new', 'notes', '--project')).stdout).toContain('To use it here: tacho trust\n');
  writeFiles(work, { 'skills/review/SKILL.md': skillFile('review') });
  const before = await skills();
  expect(before).toMatchObject({ code: 0, stdout: 'There are no skills here.\n' });
  expect(before.stderr).toContain('[SKILL_NOT_TRUSTED]');

  const content = await jsonHere<{ sha256: string; trusted: boolean; skills: string[] }>(['trust']);
  expect(content).toMatchObject({ trusted: false, skills: ['.tacho/skills/notes', 'skills/review'] });
  expect((await here(['trust', '--show'])).stdout).toContain('  skills/review\n');
  expect((await here(['trust', '--hash', content.sha256])).code).toBe(0);
  expect(await json('list')).toMatchObject({ skills: [{ name: 'notes' }, { name: 'review' }], problems: [] });
  expect((await here(['trust', '--list'])).stdout).toContain('2 skills');

  writeFiles(work, { 'skills/review/SKILL.md': skillFile('review', { body: 'Something else.\n' }) });
  expect(await json('list')).toMatchObject({ skills: [{ name: 'notes' }], problems: [{ code: 'SKILL_NOT_TRUSTED' }] });
  expect(await jsonHere(['trust'])).toMatchObject({ trusted: false });
  expect((await here(['trust', '--hash', content.sha256])).stderr).toContain('[TRUST_MISMATCH]');
});

test('check prints file, line, code and fix, and exits with 1 for errors alone', async () => {
  const { skills, json, work } = place();
  writeFiles(work, {
    'skills/one/SKILL.md': '---\nname: one\nlicense: MIT\n---\nText\n',
    'skills/two/SKILL.md': skillFile('two', { body: '' }),
    'one.zip': await zipOf([{ name: 'one/SKILL.md', content: '---\nname: one\n---\nText\n' }]),
  });
  const checked = await skills('check');
  expect(checked).toMatchObject({ code: 1, stderr: '' });
  expect(checked.stdout).toBe(
    [
      '✘ skills/one',
      '  error skills/one/SKILL.md:2: description is missing [SKILL_FIELD_MISSING]',
      '    Say what the skill does and when to use it.',
      '✔ two',
      '  warning skills/two/SKILL.md:5: it has no instructions below the frontmatter [SKILL_PACKAGE_INVALID]',
      '    Add the instructions.',
      '2 skills: 1 error, 1 warning',
      '',
    ].join('\n'),
  );
  expect((await skills('check', 'skills/two')).code).toBe(0);
  expect((await skills('check', 'one.zip')).stdout).toContain('error one.zip: SKILL.md:2: description is missing');
  expect(await json('check', 'skills/one')).toMatchObject({
    checked: [{ place: `${work}/skills/one`, name: null, problems: [{ code: 'SKILL_FIELD_MISSING', line: 2 }] }],
  });
});

test('remove finds skills with errors, and refuses what it cannot decide', async () => {
  const { skills, code, work, own } = place();
  writeFiles(own, { 'broken/SKILL.md': 'nothing', 'review/SKILL.md': skillFile('review') });
  writeFiles(work, { 'skills/review/SKILL.md': skillFile('review') });
  expect(await code('remove', 'review')).toBe('SKILL_AMBIGUOUS');
  expect(await code('remove', 'broken')).toBe('USAGE');
  expect(await code('remove', 'broken', 'gone', '--yes')).toBe('SKILL_UNKNOWN');
  expect((await skills('remove', 'brokn', '--yes')).stderr).toContain('Did you mean broken?');
  expect(fs.readdirSync(own).sort()).toEqual(['broken', 'review']);
  expect((await skills('rm', 'broken', '$[project].review', '--yes')).code).toBe(0);
  expect([fs.readdirSync(own), fs.readdirSync(`${work}/skills`)]).toEqual([['review'], []]);
});

test('mistyped commands and names are answered with the right ones', async () => {
  const { here, skills } = place();
  expect((await skills('chekc')).stderr).toContain('tacho skills check');
  expect((await here(['skill'])).stderr).toContain('tacho skills');
  expect(await skills('show', 'review')).toMatchObject({ code: 1, stderr: expect.stringContaining('[SKILL_UNKNOWN]') });
  expect(await skills('new', 'Not A Name')).toMatchObject({ code: 1, stderr: expect.stringContaining('1 to 64') });
});

test('foreign text cannot control the terminal', async () => {
  const { skills, own } = place();
  writeFiles(own, { 'review/SKILL.md': skillFile('review', { description: '"a\\e[2Jb"', body: 'x\u001b[2J\ty\n' }) });
  const { stdout } = await skills('show', 'review');
  expect(stdout).not.toContain('\u001b');
  expect((await skills()).stdout).not.toContain('\u001b');
});
