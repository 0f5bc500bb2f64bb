import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../support/tacho.ts';

test('export --format svg draws the run as a disc', async () => {
  const { tacho, home } = sandbox();
  await tacho(['run', '--', 'bash', '-c', 'echo one; echo two >&2']);
  const printed = await tacho(['export', 'last', '--format', 'svg']);
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  expect(printed.stdout).toMatch(/^<svg [^>]*width="480"/);
  expect(printed.stdout.trimEnd()).toMatch(/<\/svg>$/);
  const file = path.join(home, 'disc.svg');
  await tacho(['export', 'last', '--format', 'svg', '-o', file]);
  expect(fs.readFileSync(file, 'utf8')).toBe(printed.stdout);
});
