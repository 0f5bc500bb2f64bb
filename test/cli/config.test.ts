import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../docs/page.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { tachoHere } from '../support/tacho-here.ts';

/** A folder, the data folder of a user, and `tacho config` in it. */
function place() {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const config = (words: readonly string[], env: Record<string, string> = {}) =>
    tachoHere(['config', ...words], {
      cwd,
      env: { PATH: process.env.PATH!, NO_COLOR: '1', LANG: 'C.UTF-8', TACHO_HOME: home, ...env },
      input: '',
    });
  return { cwd, home, config, file: path.join(home, 'config.yaml') };
}

test('sets, prints, explains and unsets a value', async () => {
  const { config, file } = place();
  const set = await config(['set', 'limits.timeout_ms', '30m']);
  expect(set).toMatchObject({
    code: 0,
    stdout: `wrote ${file}\nlimits.timeout_ms = 1800000 ← ${file}:2:3 (over default)\n`,
    stderr: '',
  });
  expect((await config(['get', 'limits.timeout_ms'])).stdout).toBe('1800000\n');
  expect((await config(['get', 'terminal.term'])).stdout).toBe('xterm-256color\n');
  expect((await config(['get', 'terminal.term', '--json'])).stdout).toBe('"xterm-256color"\n');
  expect(JSON.parse((await config(['get', 'journal', '--json'])).stdout)).toEqual({
    fsync: 'interval',
    fsync_interval_ms: 200,
  });
  expect((await config(['get', 'limits.timeout_ms', '--origin'])).stdout).toBe(
    `limits.timeout_ms = 1800000 ← ${file}:2:3 (over default)\n`,
  );
  expect(JSON.parse((await config(['get', 'limits.timeout_ms', '--origin', '--json'])).stdout)).toMatchObject({
    value: 1_800_000,
    origins: [{ path: 'limits.timeout_ms', source: { name: file, line: 2, col: 3 } }],
  });
  expect(JSON.parse((await config(['unset', 'limits.timeout_ms', '--json'])).stdout)).toEqual({
    key: 'limits.timeout_ms',
    file,
  });
  expect((await config(['get', 'limits.timeout_ms'])).stdout).toBe('null\n');
  expect(await config(['unset', 'limits.timeout_ms'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`limits.timeout_ms is not set in ${file}`),
  });
});

test('setting reports when another layer wins or the folder is not trusted', async () => {
  const { config, cwd } = place();
  const env = { TACHO_TERMINAL_COLS: '99' };
  expect((await config(['set', 'terminal.cols', '90', '--workspace'], env)).stdout).toBe(
    'wrote config/tacho.yaml\nterminal.cols = 99 ← TACHO_TERMINAL_COLS (over config/tacho.yaml:2:3, default)\n',
  );
  const untrusted = await config(['set', 'service.port', '8000', '--workspace']);
  expect(untrusted.stdout).toContain('  Ignored 8000 ← config/tacho.yaml:4:3, which is not trusted: tacho trust\n');
  expect(untrusted.stderr).toContain('[SETTINGS_UNTRUSTED]');
  expect(fs.readFileSync(path.join(cwd, 'config/tacho.yaml'), 'utf8')).toBe(
    'terminal:\n  cols: 90\nservice:\n  port: 8000\n',
  );
});

test('check lists every problem with its location, and its exit code reports them', async () => {
  const { config, cwd } = place();
  expect(await config(['check'])).toMatchObject({ code: 0, stdout: '✔ the configuration has no problems\n' });
  fs.mkdirSync(path.join(cwd, 'config'));
  fs.writeFileSync(path.join(cwd, 'config/tacho.yaml'), 'limits:\n  timeout: 1m\nterminal:\n  cols: 0\n');
  const found = [
    'config/tacho.yaml:2:3: unknown key limits.timeout; did you mean limits.timeout_ms?',
    'config/tacho.yaml:4:9: terminal.cols must be a whole number from 1 to 65535, not 0',
  ];
  expect(await config(['check'])).toMatchObject({ code: 1, stdout: `${found.join('\n')}\n✘ 2 problems\n`, stderr: '' });
  const json = await config(['check', 'config/tacho.yaml', '--json']);
  expect([json.code, JSON.parse(json.stdout)]).toEqual([
    1,
    {
      problems: [
        {
          code: 'CONFIG_UNKNOWN_KEY',
          message: found[0],
          path: 'limits.timeout',
          suggestion: 'limits.timeout_ms',
          file: 'config/tacho.yaml',
          line: 2,
          col: 3,
        },
        {
          code: 'CONFIG_INVALID',
          message: found[1],
          path: 'terminal.cols',
          file: 'config/tacho.yaml',
          line: 4,
          col: 9,
        },
      ],
    },
  ]);
});

test('the commands of the page work as printed', async () => {
  const { config } = place();
  const [block = ''] = codeBlocks('docs/configuration.md', 'sh').filter((code) => code.includes('tacho config get'));
  const lines = block.trim().split('\n');
  expect(lines).toHaveLength(6);
  for (const line of lines) {
    const words = line
      .replace(/ +# .*/, '')
      .match(/'[^']*'|\S+/g)!
      .map((word) => word.replaceAll("'", ''));
    expect([line, await config(words.slice(2))]).toEqual([line, expect.objectContaining({ code: 0 })]);
  }
});

test('an unknown key is refused with the closest key', async () => {
  const { config } = place();
  for (const words of [
    ['get', 'limits.timeot_ms'],
    ['set', 'limits.timeot_ms', '1m'],
    ['unset', 'limits.timeot_ms'],
    ['limits.timeot_ms'],
  ]) {
    expect(await config(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean limits.timeout_ms?'),
    });
  }
});
