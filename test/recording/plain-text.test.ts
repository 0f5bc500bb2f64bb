import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText } from '../../src/recording/index.ts';
import { proofSize } from '../support/proof-size.ts';
import { record, type Step, startRecording } from './recording.ts';

function read(steps: readonly Step[]): string {
  const recording = startRecording();
  record(recording, steps);
  recording.recorder.close();
  return [...plainText(recording.folder, 1)].join('');
}

const on = (kind: 'a' | 'b' | 'input', content: string | Buffer): Step => ({
  kind,
  bytes: Buffer.from(content as string),
  wait: 1,
});

const SEQUENCES = [
  '\x1b[31m',
  '\x1b[1;38;5;200m',
  '\x1b[?2004h',
  '\x1b[2J',
  '\x1b[10 q',
  '\x1b(B',
  '\x1bc',
  '\x1b=',
  '\x1b]0;a title\x07',
  '\x1b]8;;https://example.com\x1b\\',
  '\x1bPq#0;2;0;0;0~\n~\x1b\\',
  '\x1b_G;payload\x1b\\',
  '\x08',
  '\r',
  '\x07',
  '\x00',
  '\x7f',
];

describe('plainText', () => {
  test('is the output without control sequences, however sequences and characters are split', () => {
    const words = fc.constantFrom('word', ' ', '\n', '\t', 'é', '中', '😀', 'x[31m', ']0;');
    const part = fc.oneof(
      words.map((text) => ({ text, shown: text })),
      fc.constantFrom(...SEQUENCES).map((text) => ({ text, shown: '' })),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const bytes = Buffer.from(parts.map(({ text }) => text).join(''));
        const steps = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          on('a', bytes.subarray(index * size, (index + 1) * size)),
        );
        expect(read(steps)).toBe(parts.map(({ shown }) => shown).join(''));
      }),
      { numRuns: proofSize({ small: 20, full: 60 }) },
    );
  });

  test.each(SEQUENCES)('removes %j, split anywhere', (sequence) => {
    const bytes = Buffer.from(sequence);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read([on('a', `before${bytes.subarray(0, cut)}`), on('a', `${bytes.subarray(cut)}after`)])).toBe(
        'beforeafter',
      );
    }
  });

  test('does not join a split sequence of one terminal with bytes of the other', () => {
    const euro = Buffer.from('€');
    const steps = [
      on('a', '\x1b[3'),
      on('b', 'error\n'),
      on('a', '1mred '),
      on('a', euro.subarray(0, 1)),
      on('b', '!'),
      on('a', euro.subarray(1)),
    ];
    expect(read(steps)).toBe('error\nred !€');
  });

  test('removes control strings of any length', () => {
    expect(read([on('a', `a\x1b]52;c;${'A'.repeat(100_000)}`), on('a', `${'B'.repeat(100_000)}\x07b`)])).toBe('ab');
  });

  test('continues after an aborted sequence', () => {
    expect(read([on('a', '\x1b[31é\x1b]title\x18on\x1b[3\x1b[1mward\x1b]0;x\x1b[0m!')])).toBe('éonward!');
    expect(read([on('a', 'line\x1b[3\n1m.')])).toBe('line\n.');
  });

  test('contains the text of any bytes, and no input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (values) => {
        const text = read([on('a', Buffer.from(values)), on('input', 'typed')]);
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
        expect(text).not.toContain('typed');
      }),
      { numRuns: proofSize({ small: 15, full: 40 }) },
    );
    expect(read([on('a', Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]))])).toBe('a\ufffdb\ufffd');
  });
});
