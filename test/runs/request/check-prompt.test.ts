import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { checkPrompt } from '../../../src/runs/request/check-prompt.ts';

const LIMIT = 128 * 1024 - 1;

describe('checkPrompt', () => {
  test.each(['', ' ', '\n\t \r\n', '\u00a0\u2003'])('refuses the empty prompt %j', (prompt) => {
    expect(() => checkPrompt(prompt)).toThrow(expect.objectContaining({ code: 'PROMPT_INVALID' }));
  });

  test('refuses a NUL, which would end the argument, and names its position', () => {
    expect(() => checkPrompt('fix\0it')).toThrow(
      expect.objectContaining({ code: 'PROMPT_INVALID', facts: { position: 3 } }),
    );
  });

  test.each([
    ['one byte', 'x', 1],
    ['two bytes', 'é', 2],
    ['three bytes', '漢', 3],
    ['four bytes', '🦀', 4],
  ])('counts bytes, not characters, with characters of %s', (_name, character, size) => {
    const most = Math.floor(LIMIT / size);
    const fits = character.repeat(most) + 'x'.repeat(LIMIT - most * size);
    expect(() => checkPrompt(fits)).not.toThrow();
    expect(() => checkPrompt(`${fits}x`)).toThrow(
      expect.objectContaining({ code: 'PROMPT_TOO_LONG', facts: { bytes: LIMIT + 1, limit: LIMIT } }),
    );
  });

  test('leaves room for the rest of the argument', () => {
    expect(() => checkPrompt('x'.repeat(LIMIT - 9), 9)).not.toThrow();
    expect(() => checkPrompt('x'.repeat(LIMIT - 8), 9)).toThrow(
      expect.objectContaining({ code: 'PROMPT_TOO_LONG', facts: { bytes: LIMIT - 8, limit: LIMIT - 9 } }),
    );
  });

  test('refuses what the kernel would refuse, and no more on machines with small pages', () => {
    const pages = 32 * Number(spawnSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }).stdout);
    expect(LIMIT).toBeLessThan(pages);
    expect(spawnSync('true', ['x'.repeat(LIMIT)]).status).toBe(0);
    expect(spawnSync('true', ['x'.repeat(pages - 1)]).status).toBe(0);
    expect(spawnSync('true', ['x'.repeat(pages)]).error).toMatchObject({ code: 'E2BIG' });
  });

  test('accepts everything else unchanged', () => {
    for (const prompt of [
      '--help',
      '@file',
      '/command',
      '$(id) `id` "quoted" \'too\'\n\u001b[31m',
      '\ud800',
      '{prompt}',
    ]) {
      expect(() => checkPrompt(prompt)).not.toThrow();
    }
  });
});
