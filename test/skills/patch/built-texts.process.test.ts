import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { readSkillTexts } from '../../../src/skills/index.ts';
import { projectRoot } from '../../support/tacho.ts';

test('the built package comes with the texts of the sources', () => {
  const request = { settings: DEFAULTS.skills, workspaceRoot: '/' };
  const program = `import('./dist/skills.js').then(({ readSkillTexts }) =>
    console.log(JSON.stringify(readSkillTexts(${JSON.stringify(request)}))))`;
  const printed = execFileSync(process.execPath, ['-e', program], { cwd: projectRoot, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual(readSkillTexts(request));
});
