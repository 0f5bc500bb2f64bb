import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { injectFiles } from '../../../src/runs/launch/injected-files.ts';
import { temporaryFolder } from '../../support/tacho.ts';

test.each(['link', 'link/file', 'link/deep/file', 'here'])('a link or a file in place of %s is not changed', (name) => {
  const [root, outside] = [temporaryFolder(), temporaryFolder()];
  fs.symlinkSync(outside, path.join(root, 'link'));
  fs.writeFileSync(path.join(root, 'here'), 'precious');
  expect(() => injectFiles(root, [{ path: name, text: 'x' }])).toThrow('EEXIST');
  expect(fs.readdirSync(outside)).toEqual([]);
  expect(fs.readFileSync(path.join(root, 'here'), 'utf8')).toBe('precious');
});
