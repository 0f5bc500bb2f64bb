import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../docs/page.ts';
import { packageUser } from './package-user.ts';

const programs = codeBlocks('docs/agent.md', 'js');
const printed = ['completed I added NOTES.md.\n', 'waiting\ncompleted\n', 'The child says: a small project.\n'];

test('every program of docs/agent.md is run', () => {
  expect(programs).toHaveLength(printed.length);
});

test.each(printed.map((output, index) => [index + 1, output] as const))(
  'program %i of docs/agent.md runs as printed',
  async (number, output) => {
    const user = packageUser();
    fs.writeFileSync(path.join(user.folder, 'agent.mjs'), programs[number - 1]!);
    expect(await user.run('agent.mjs')).toMatchObject({ stdout: output, stderr: '', code: 0 });
  },
);
