import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../support/tacho.ts';

const SECRET = 'correct-horse-battery';

test('a secret that a program prints, even in pieces, appears only in the raw files, which are private', async () => {
  const { tacho, audit } = sandbox();
  const inPieces = 'printf %s "$MY_TOKEN" | head -c 9; sleep 0.05; printf %s "$MY_TOKEN" | tail -c +10; echo';
  const print = `echo "all $MY_TOKEN"; ${inPieces}; echo "$MY_TOKEN" >&2`;
  await tacho(['run', '--env', 'MY_TOKEN', '--', 'bash', '-c', print], { env: { MY_TOKEN: SECRET } });

  const holding = filesBelow(path.dirname(audit())).filter((file) => fs.readFileSync(file, 'utf8').includes(SECRET));
  expect(holding.map((file) => path.basename(file)).sort()).toEqual([
    'pty-output.1.log',
    'stderr.1.log',
    'stdout.1.log',
  ]);
  for (const file of filesBelow(audit())) expect(fs.statSync(file).mode & 0o777, file).toBe(0o600);
  expect(fs.readFileSync(path.join(audit(), 'redactions.1.json'), 'utf8')).toContain('MY_TOKEN');
});

test('a secret on the command line is masked where the command is recorded', async () => {
  const { tacho, audit } = sandbox();
  await tacho(['run', '--env', `MY_TOKEN=${SECRET}`, '--', 'true', `--token=${SECRET}`]);
  const holding = filesBelow(path.dirname(audit())).filter((file) => fs.readFileSync(file, 'utf8').includes(SECRET));
  expect(holding).toEqual([]);
});

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
