import { expect, test } from 'vitest';
import { composeMessage } from '../../../src/runs/skills/compose-message.ts';
import { skillFolderOf } from '../../../src/runs/skills/skill-folder.ts';

const FOLDER = skillFolderOf({ managed: '/data/env' }, '0123abcd');
const MAIN = {
  role: 'main',
  namespace: 'user',
  name: 'review',
  version: null,
  sha256: '0'.repeat(64),
  location: '/skills/review/SKILL.md',
} as const;

test('a message names the skill, its input, its parameters and the prompt of the request, in this order', () => {
  const packages = [{ ...MAIN, prompt: 'Review it.' }];
  const message = composeMessage(
    { packages, input: { path: 'src' }, parameters: { strict: true }, prompt: 'Be kind.' },
    FOLDER,
  );
  expect(
    message,
  ).toBe(`Use the skill review. Before anything else, load it or read /data/env/skills/0123abcd/skills/review/SKILL.md, and follow all of it.

Review it.

Input (JSON):
{
  "path": "src"
}

Parameters (JSON):
{
  "strict": true
}

Be kind.`);
});

test('the name of the skill has the mark that the engine wants', () => {
  expect(composeMessage({ packages: [MAIN] }, FOLDER, '$')).toMatch(/^Use the skill \$review\. /);
});

test('a mentioned skill is named with its file', () => {
  const extra = { ...MAIN, role: 'extra', name: 'notes' } as const;
  expect(composeMessage({ prompt: 'Use $[user].notes now.', packages: [extra] }, FOLDER)).toBe(
    'Use $[user].notes now.\n\n$[user].notes is the skill notes: /data/env/skills/0123abcd/skills/notes/SKILL.md',
  );
});

test('a large input is in a file', () => {
  const message = composeMessage({ packages: [MAIN], input: 'x'.repeat(20_000) }, FOLDER);
  expect(message).toContain('Input: the JSON in /data/env/skills/0123abcd/input.json');
  expect(message.length).toBeLessThan(500);
});

test('without a main skill, the message is the prompt', () => {
  const extra = { ...MAIN, role: 'extra' } as const;
  expect(composeMessage({ prompt: 'Fix it.', packages: [extra] }, FOLDER)).toBe('Fix it.');
  expect(composeMessage({ prompt: 'Fix it.' }, FOLDER)).toBe('Fix it.');
});
