import { describe, expect, test } from 'vitest';
import { asciiSigns } from '../../../src/cli/output/ascii-output.ts';
import { showsUtf8 } from '../../../src/cli/output/terminal-abilities.ts';
import { sandbox } from '../../support/tacho.ts';

describe('asciiSigns', () => {
  test('replaces the symbols of tacho and leaves other text unchanged', () => {
    expect(asciiSigns('✔ done · 4.2 s – the engine’s “x” …')).toBe('+ done - 4.2 s - the engine\'s "x" ...');
    expect(asciiSigns('⠋⠙⠹⠸')).toMatch(/^[|/\\-]{4}$/);
    expect(asciiSigns('日本語 é ␛[2J \ufffd')).toBe('日本語 é ?[2J ?');
  });
});

describe('showsUtf8', () => {
  test.each<[NodeJS.ProcessEnv, boolean]>([
    [{ LANG: 'en_US.UTF-8' }, true],
    [{ LANG: 'C.utf8' }, true],
    [{ LC_CTYPE: 'C.UTF-8', LANG: 'C' }, true],
    [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, false],
    [{ LC_ALL: '', LANG: 'en_US.UTF-8' }, true],
    [{ LANG: 'de_DE.ISO-8859-1' }, false],
    [{}, false],
  ])('%j: %s', (env, expected) => {
    expect(showsUtf8(env)).toBe(expected);
  });
});

test('without a UTF-8 locale tacho prints ASCII, except for data and program output', async () => {
  const { tacho, here } = sandbox();
  const env = { LC_ALL: 'C' };
  const run = await tacho(['run', '--', 'printf', '✔ ·'], { env });
  expect(run.stdout).toBe('✔ ·');
  expect(run.stderr).toMatch(/^\+ succeeded - exit 0 - [\x20-\x7e]*\n$/);
  for (const words of [['--help'], ['run', '--help'], ['show', 'last'], ['verify', 'last'], ['nonsense']]) {
    const { stdout, stderr } = await here(words, { env });
    expect(stdout + stderr, words.join(' ')).toMatch(/^[\x20-\x7e\n]+$/);
  }
  expect((await here(['show', 'last', '--json'], { env })).stdout).toContain('✔ ·');
  expect((await here(['raw', 'last'], { env })).stdout).toBe('✔ ·');
});
