import { describe, expect, test } from 'vitest';
import { type OpenTerminal, screenText } from '../../../src/record/screen/screen-text.ts';
import { openTerminal } from '../../../src/runtime/open-terminal.ts';
import { on, resize, textOf } from './screen-moments.ts';

const NOTE = '[too many screen operations: the rest is the output without control sequences]';

describe('a hostile program', () => {
  test.each([
    ['erases', '\x1b[2J'],
    ['resets', '\x1bc'],
    ['switches screens', '\x1b[?1049h\x1b[?1049l'],
    ['inserts lines', '\x1b[H\x1b[2147483647L'],
    ['scrolls', '\x1b[2147483647S'],
    ['fills the screen', '\x1b#8'],
  ])('that %s without end gets its output without control sequences', (_title, sequence) => {
    const moments = function* () {
      yield on('a', 'before\r\n');
      for (let part = 0; part < 40; part++) yield on('a', sequence.repeat(30), 1000);
      yield on('a', '\x1b[31mafter\x1b[2Jwards\r\n', 1000);
    };
    const options = { cols: 80, rows: 24, bareLineFeeds: true, open: openTerminal, freeCells: 500_000 };
    const text = [...screenText(moments(), options)].map((part) => part.text).join('');
    expect(text).toContain('before\n');
    expect(text.endsWith(`${NOTE}\nafterwards\n`)).toBe(true);
  });

  test('that repeats a character two thousand million times does so for one line', () => {
    expect(textOf([on('a', 'x\x1b[2147483647b\n')])).toBe(`${'x'.repeat(21)}\n`);
  });

  test('cannot make one character grow without end', () => {
    const marks = '\u0301'.repeat(500);
    const moments = function* () {
      yield on('a', '\x1b[2J');
      for (let part = 0; part < 400; part++) yield on('a', `\x1b[1;1Ha\x1b[3;3Hx\x1b[1;2H${marks}`);
    };
    expect(textOf(moments()).length).toBeLessThan(60_000);
  });

  test('cannot make the terminal larger than the renderer allows', () => {
    const sizes: number[] = [];
    const open: OpenTerminal = (options) => {
      const terminal = openTerminal(options);
      sizes.push(options.cols * options.rows);
      const { resize: change } = terminal;
      terminal.resize = (cols, rows) => {
        sizes.push(cols * rows);
        change.call(terminal, cols, rows);
      };
      return terminal;
    };
    const moments = [on('a', '\x1b[Hx'), resize(65_535, 65_535, 1), on('a', 'y'), resize(0, 0, 2), on('a', '\r\nz')];
    const options = { cols: 65_535, rows: 65_535, bareLineFeeds: true, open };
    const text = [...screenText(moments, options)].map((part) => part.text).join('');
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000 * 500);
    expect(text).toBe('xy\nz\n');
  });
});
