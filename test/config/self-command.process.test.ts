import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ownProgramCommand, selfCommand } from '../../src/config/index.ts';

test('the words of `selfCommand` start the built command, from any caller', () => {
  const [program, ...words] = selfCommand();
  const { stdout } = spawnSync(program!, [...words, '--version'], { encoding: 'utf8' });
  const { version } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(stdout).toBe(`${version}\n`);
});

test('our own program has a command line as well, and is null if it was not built', () => {
  const [program, ...words] = ownProgramCommand('demo-agent')!;
  expect(spawnSync(program!, [...words, '--help'], { encoding: 'utf8' }).stdout).toContain('Usage');
  expect(ownProgramCommand('no-such-agent')).toBeNull();
});
