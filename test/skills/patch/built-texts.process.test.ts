import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { readSkillTexts } from '../../../src/skills/index.ts';
import { projectRoot, sandbox } from '../../support/tacho.ts';

test('the built package comes with the texts of the sources', () => {
  const request = { settings: DEFAULTS.skills, workspaceRoot: '/' };
  const program = `import('./dist/skills.js').then(({ readSkillTexts }) =>
    console.log(JSON.stringify(readSkillTexts(${JSON.stringify(request)}))))`;
  const printed = execFileSync(process.execPath, ['-e', program], { cwd: projectRoot, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual(readSkillTexts(request));
});

test.each([
  ['is missing', null],
  ['is empty', ''],
  ['does not begin with a line such as', 'Work alone.\n'],
])('the server does not start with a text of a layer that %s', async (why, text) => {
  const box = sandbox();
  const file = path.join(box.work, 'own.md');
  if (text !== null) fs.writeFileSync(file, text);
  fs.writeFileSync(path.join(box.home, 'config.yaml'), 'skills:\n  texts:\n    mode-auto: { file: own.md }\n');
  const { code, stdout, stderr } = await box.tacho(['start', '--port', '0']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`the text mode-auto of skills, "${file}", ${why}`);
  expect(stderr).toContain('[SKILL_TEXT_INVALID]');
});
