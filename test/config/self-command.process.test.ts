import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ownProgramCommand, selfCommand } from '../../src/config/index.ts';

test('the words of `selfCommand` start the built command, whoever asks for them', () => {
  const [program, ...words] = selfCommand();
  const { stdout } = spawnSync(program!, [...words, '--version'], { encoding: 'utf8' });
  const { version } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(stdout).toBe(`${version}\n`);
});

test('a program of our own is started by words as well, and is null when it was not built', () => {
  const [program, ...words] = ownProgramCommand('demo-agent')!;
  expect(spawnSync(program!, [...words, '--help'], { encoding: 'utf8' }).stdout).toContain('Usage');
  expect(ownProgramCommand('no-such-agent')).toBeNull();
});
