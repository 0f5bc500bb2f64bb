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

test('a secret in long output, printed in pieces, is masked when events are asked for all of it', async () => {
  const { tacho, audit } = sandbox();
  const program = [process.execPath, '--input-type=module', '-e', PRINTER];
  const env = { MY_TOKEN: SECRET };
  const { code } = await tacho(['run', '--env', 'MY_TOKEN', '--', ...program], { env });
  expect(code).toBe(0);
  const full = await tacho(['events', '--json', '--full', '--type', 'raw']);
  const texts = full.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).data);
  expect(texts.some(({ truncated }) => truncated)).toBe(false);
  const printed = fs.readFileSync(path.join(audit(), 'stdout.1.log'));
  expect(printed.includes(SECRET)).toBe(true);
  const { ranges } = JSON.parse(fs.readFileSync(path.join(audit(), 'redactions.1.json'), 'utf8'));
  // On a busy machine the first letters of a secret that comes slowly are no longer held back.
  for (const { byte_from, byte_to } of ranges) printed.fill('*', byte_from, byte_to);
  const text = texts.map((data) => data.text).join('');
  expect(text === printed.toString()).toBe(true);
  expect(text.includes(SECRET)).toBe(false);

  const shown = async (...command: string[]) => (await tacho(command)).stdout;
  expect(holdsMasked(await shown('export', '--format', 'md'))).toBe(true);
  expect((await shown('show', '--chat')).includes(SECRET)).toBe(false);
  fs.rmSync(path.join(audit(), 'redactions.1.json'));
  const without = await shown('events', '--json', '--full');
  expect(without.includes('"unresolved":"REDACTIONS_DIFFER"')).toBe(true);
  expect(without.includes(SECRET)).toBe(false);
  expect((await shown('export', '--format', 'md')).includes(SECRET)).toBe(false);
});

function holdsMasked(text: string): boolean {
  return text.includes('c'.repeat(60) + '*'.repeat(SECRET.length)) && !text.includes(SECRET);
}

/** The secret crosses writes, blocks, and the end of what an event shows. */
const PRINTER = `
const token = process.env.MY_TOKEN;
const write = (text) => new Promise((done) => process.stdout.write(text, done));
const pause = () => new Promise((done) => setTimeout(done, 20));
await write('a'.repeat(1020));
for (const letter of token) { await write(letter); await pause(); }
await write('b'.repeat(65536 - 1020 - token.length - 7));
await write(token.slice(0, 4)); await pause(); await write(token.slice(4));
await write('\\n' + ('c'.repeat(60) + token + '\\n').repeat(3000));
`;

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
