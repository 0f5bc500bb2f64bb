import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { liveTokens, loadTokens } from '../../src/runs/index.ts';
import { temporaryFolder } from '../support/tacho.ts';

test('an admin token is created on the first start, readable only by its owner, and kept', () => {
  const home = path.join(temporaryFolder(), 'home');
  const tokens = loadTokens(home);
  const file = path.join(home, 'token');
  expect(fs.readFileSync(file, 'utf8')).toBe(`admin ${tokens.admin}\n`);
  expect(tokens.admin).toMatch(/^tacho_[\w-]{43}$/);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(loadTokens(home).admin).toBe(tokens.admin);
  expect(fs.readdirSync(home)).toEqual(['token']);
});

test('each token has its scope, and a similar string has none', () => {
  const home = temporaryFolder();
  fs.writeFileSync(
    path.join(home, 'token'),
    '# who may what\nadmin aaaaaaaaaaaaaaaaaaaa\nread rrrrrrrrrrrrrrrrrrrr # a dashboard\n\nreply pppppppppppppppppppp\n',
  );
  const tokens = loadTokens(home);
  expect(tokens.scopeOf('aaaaaaaaaaaaaaaaaaaa')).toBe('admin');
  expect(tokens.scopeOf('rrrrrrrrrrrrrrrrrrrr')).toBe('read');
  expect(tokens.scopeOf('pppppppppppppppppppp')).toBe('reply');
  for (const wrong of ['', 'aaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaaa', 'Aaaaaaaaaaaaaaaaaaaa', 'admin']) {
    expect(tokens.scopeOf(wrong)).toBeNull();
  }
  expect(tokens.admin).toBe('aaaaaaaaaaaaaaaaaaaa');
});

test('a file that others can read gets stricter permissions', () => {
  const home = temporaryFolder();
  const file = path.join(home, 'token');
  fs.writeFileSync(file, 'admin aaaaaaaaaaaaaaaaaaaa\n');
  fs.chmodSync(file, 0o644);
  loadTokens(home);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test.each([
  ['owner aaaaaaaaaaaaaaaaaaaa\n', /line 1 of .* is not a token/],
  ['admin short\n', /line 1/],
  ['admin aaaaaaaaaaaaaaaaaaaa\nread one two\n', /line 2/],
  ['read rrrrrrrrrrrrrrrrrrrr\n', /no admin token/],
])('a file with %j is refused without showing a token', (content, message) => {
  const home = temporaryFolder();
  fs.writeFileSync(path.join(home, 'token'), content);
  let thrown: unknown;
  try {
    loadTokens(home);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
  expect(JSON.stringify(thrown)).not.toMatch(/aaaa|rrrr|short/);
});

test('the error names a data folder that is not writable', () => {
  expect(() => loadTokens('/proc/nothing/here')).toThrow(
    expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE', fix: expect.any(String) }),
  );
});

test('a running server follows the file: added tokens work, removed ones no longer', () => {
  const home = temporaryFolder();
  const file = path.join(home, 'token');
  const admin = 'admin aaaaaaaaaaaaaaaaaaaa\n';
  const problems: string[] = [];
  fs.writeFileSync(file, admin);
  const tokens = liveTokens(home, { onProblem: (error) => problems.push((error as Error).message) });
  expect(tokens.scopeOf('rrrrrrrrrrrrrrrrrrrr')).toBeNull();
  fs.writeFileSync(file, `${admin}read rrrrrrrrrrrrrrrrrrrr\n`);
  expect(tokens.scopeOf('rrrrrrrrrrrrrrrrrrrr')).toBe('read');
  fs.writeFileSync(file, `${admin}read ssssssssssssssssssss\n`);
  expect(tokens.scopeOf('rrrrrrrrrrrrrrrrrrrr')).toBeNull();
  expect(tokens.scopeOf('ssssssssssssssssssss')).toBe('read');

  fs.writeFileSync(file, 'admin short\n');
  for (let time = 0; time < 3; time++) expect(tokens.scopeOf('ssssssssssssssssssss')).toBe('read');
  expect(problems).toEqual([expect.stringContaining('line 1')]);
  fs.rmSync(file);
  expect(tokens.scopeOf('ssssssssssssssssssss')).toBe('read');
  expect(fs.existsSync(file)).toBe(false);
  fs.writeFileSync(file, 'admin bbbbbbbbbbbbbbbbbbbb\n', { mode: 0o644 });
  expect(tokens.scopeOf('bbbbbbbbbbbbbbbbbbbb')).toBe('admin');
  expect(tokens.admin).toBe('bbbbbbbbbbbbbbbbbbbb');
  expect(tokens.scopeOf('aaaaaaaaaaaaaaaaaaaa')).toBeNull();
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});
