import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { on, textOf } from './screen-moments.ts';

/** Sequences that do not change which text there is. */
const NEUTRAL = [
  '\x1b[31m',
  '\x1b[1;38;5;200m',
  '\x1b[?2004h',
  '\x1b[?25l',
  '\x1b[10 q',
  '\x1b[6n',
  '\x1b[K',
  '\x1b[0J',
  '\x1b(B',
  '\x1b=',
  '\x1b]0;a title\x07',
  '\x1b]8;;https://example.com\x1b\\',
  '\x1bPq#0;2;0;0;0~\n~\x1b\\',
  '\x1b_G;payload\x1b\\',
  '\x07',
  '\x00',
  '\x7f',
  '\u0090',
];

describe('output that only appends lines', () => {
  test('is its text without control sequences, however sequences and characters are split', () => {
    const words = fc.constantFrom('word', ' ', '\n', '\t', 'é', '中', '😀', 'x[31m', ']0;', '\ufeff');
    const part = fc.oneof(
      words.map((text) => ({ text, shown: text })),
      fc.constantFrom(...NEUTRAL).map((text) => ({ text, shown: '' })),
      fc.constant({ text: '\r\n', shown: '\n' }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const bytes = Buffer.from(parts.map(({ text }) => text).join(''));
        const moments = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          on('a', bytes.subarray(index * size, (index + 1) * size)),
        );
        expect(textOf(moments)).toBe(parts.map(({ shown }) => shown).join(''));
      }),
      { numRuns: proofSize({ small: 100, full: 2000 }) },
    );
  });

  test.each(NEUTRAL)('loses nothing but %j, split anywhere', (sequence) => {
    const bytes = Buffer.from(sequence);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const halves = [
        Buffer.concat([Buffer.from('before'), bytes.subarray(0, cut)]),
        Buffer.concat([bytes.subarray(cut), Buffer.from('after')]),
      ];
      expect(textOf(halves.map((half) => on('a', half)))).toBe('beforeafter');
    }
  });

  test('does not join a split sequence of one terminal with bytes of the other', () => {
    const euro = Buffer.from('€');
    const moments = [
      on('a', '\x1b[3'),
      on('b', 'error\n'),
      on('a', '1mred '),
      on('a', euro.subarray(0, 1)),
      on('b', '!'),
      on('a', euro.subarray(1)),
    ];
    expect(textOf(moments)).toBe('error\nred !€');
  });

  test('keeps tabs, blanks at the end and lines longer than the terminal', () => {
    const text = `a\tb  \n${'long '.repeat(50)}\n\n  end`;
    expect(textOf([on('a', text)])).toBe(text);
  });

  test('loses control strings of any length', () => {
    expect(textOf([on('a', `a\x1b]52;c;${'A'.repeat(100_000)}`), on('a', `${'B'.repeat(100_000)}\x07b`)])).toBe('ab');
  });

  test('continues after an aborted or endless sequence', () => {
    expect(textOf([on('a', '\x1b[31é\x1b]title\x18on\x1b[3\x1b[1mward\x1b]0;x\x1b[0m!')])).toBe('éonward!');
    expect(textOf([on('a', 'line\x1b[3\n1m.')])).toBe('line\n.');
    expect(textOf([on('a', `a\x1b[${'1;'.repeat(5000)}Hb`)])).toBe('ab');
  });

  test('contains the text of any bytes', () => {
    expect(textOf([on('a', Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]))])).toBe('a\ufffdb\ufffd');
  });

  test('is passed on while it comes, except for the last screen', () => {
    const line = `${'x'.repeat(99)}\n`;
    const moments = function* () {
      for (let part = 0; part < 100; part++) yield on('a', line.repeat(100), part);
    };
    expect(textOf(moments())).toBe(line.repeat(10_000));
  });
});
