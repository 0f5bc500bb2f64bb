import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULTS, realFolder, storeTrust } from '../../src/config/index.ts';
import { openLocalSkills } from '../../src/skills/local/open-local-skills.ts';
import { hashProjectSkills } from '../../src/skills/local/project-trust.ts';
import { addedSkills } from '../../src/skills/local/skill-places.ts';
import { skillFile, temporaryFolder, writeFiles } from './skill-folder.ts';

function project(files: Readonly<Record<string, string>> = {}) {
  const [workspaceRoot, dataFolder] = [temporaryFolder(), temporaryFolder()];
  writeFiles(workspaceRoot, files);
  const folders = { workspaceRoot, dataFolder };
  const open = () => {
    const skills = openLocalSkills({ ...folders, settings: DEFAULTS.skills, env: {} });
    onTestFinished(() => skills.close());
    return skills;
  };
  const trust = () =>
    void storeTrust(dataFolder, {
      folder: realFolder(workspaceRoot),
      sha256: null,
      skills: Object.fromEntries(hashProjectSkills(folders)),
    });
  return { ...folders, open, trust };
}

const TWO = { 'skills/review/SKILL.md': skillFile('review'), '.tacho/skills/notes/SKILL.md': skillFile('notes') };

test('the skills of the user need no trust, those of a project do', async () => {
  const { open, trust, dataFolder } = project(TWO);
  writeFiles(dataFolder, { 'skills/review/SKILL.md': skillFile('review') });
  const before = await open().scan();
  expect([...before.skills.keys()]).toEqual(['$[user].review']);
  expect(before.problems).toMatchObject([
    { code: 'SKILL_NOT_TRUSTED', severity: 'warning', message: expect.stringContaining('notes') },
    {
      code: 'SKILL_NOT_TRUSTED',
      message: expect.stringContaining('review'),
      fix: expect.stringContaining('tacho trust'),
    },
  ]);
  trust();
  const after = await open().scan();
  expect([...after.skills.keys()]).toEqual(['$[user].review', '$[project].notes', '$[project].review']);
  expect(after.problems).toEqual([]);
});

test.each<[string, (folder: string) => void]>([
  ['its text', (folder) => fs.appendFileSync(`${folder}/SKILL.md`, 'more')],
  ['a script', (folder) => fs.writeFileSync(`${folder}/run.sh`, 'curl')],
  ['a new file', (folder) => fs.writeFileSync(`${folder}/other`, '')],
  ['a mode', (folder) => fs.chmodSync(`${folder}/run.sh`, 0o755)],
  [
    'a file that becomes a link',
    (folder) => {
      fs.rmSync(`${folder}/run.sh`);
      fs.symlinkSync('/etc/hostname', `${folder}/run.sh`);
    },
  ],
])('a change of %s ends the trust of this skill alone, at once', async (_, change) => {
  const { open, trust, workspaceRoot } = project({ ...TWO, 'skills/review/run.sh': 'true' });
  trust();
  const skills = open();
  const review = await skills.find('review');
  expect(await skills.readBody(review)).toBe('# review\n');
  change(path.join(workspaceRoot, 'skills/review'));
  await expect(skills.readBody(review)).rejects.toMatchObject({ code: 'SKILL_NOT_TRUSTED' });
  await expect(skills.readFiles(review)).rejects.toMatchObject({ code: 'SKILL_NOT_TRUSTED' });
  expect([...(await skills.scan()).skills.keys()]).toEqual(['$[project].notes']);
});

test('the files of a trusted skill are those that were compared', async () => {
  const { open, trust } = project({ ...TWO, 'skills/review/references/a.md': 'text' });
  trust();
  const skills = open();
  const files = await skills.readFiles(await skills.find('review'));
  expect(files).toMatchObject({ kind: 'files' });
  expect([...(files as { files: ReadonlyMap<string, Uint8Array> }).files.keys()]).toEqual([
    'SKILL.md',
    'references/a.md',
  ]);
});

test('a package that cannot be read is never trusted', async () => {
  const { open, trust, workspaceRoot } = project(TWO);
  fs.symlinkSync('/etc/hostname', path.join(workspaceRoot, 'skills/review/link'));
  trust();
  expect([...(await open().scan()).skills.keys()]).toEqual(['$[project].notes']);
});

test('the same name in skills/ and .tacho/skills/ is refused, naming both', async () => {
  const { open, trust } = project({ ...TWO, '.tacho/skills/review/SKILL.md': skillFile('review') });
  trust();
  await expect(open().find('review')).rejects.toMatchObject({
    code: 'SKILL_DUPLICATE_NAME',
    message: expect.stringMatching(/\.tacho\/skills\/review.* and .*\/skills\/review/),
  });
});

test('a folder of skills that is a link out of the project does not count', async () => {
  const { open, trust, workspaceRoot } = project();
  const outside = temporaryFolder();
  writeFiles(outside, { 'review/SKILL.md': skillFile('review') });
  fs.symlinkSync(outside, path.join(workspaceRoot, 'skills'));
  fs.symlinkSync(outside, path.join(workspaceRoot, '.tacho'));
  trust();
  expect(await open().scan()).toMatchObject({ problems: [] });
  expect((await open().scan()).skills.size).toBe(0);
  expect(() => addedSkills(workspaceRoot)).toThrow(expect.objectContaining({ code: 'SKILL_LINK_OUTSIDE' }));
});

test('where the workspace is the home of the user, its .tacho is not a project', async () => {
  const { workspaceRoot } = project({ '.tacho/skills/review/SKILL.md': skillFile('review') });
  const dataFolder = path.join(workspaceRoot, '.tacho');
  const skills = openLocalSkills({ workspaceRoot, dataFolder, settings: DEFAULTS.skills, env: {} });
  expect([...(await skills.scan()).skills.keys()]).toEqual(['$[user].review']);
  await skills.close();
});

test('a mistyped name is answered with the nearest one', async () => {
  const { open, trust } = project(TWO);
  trust();
  const fix = expect.stringContaining('Did you mean review?');
  await expect(open().find('reveiw')).rejects.toMatchObject({ code: 'SKILL_UNKNOWN', fix });
});
