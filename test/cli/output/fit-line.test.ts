import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitHelp, fitLine } from '../../../src/cli/output/fit-line.ts';

const terminal = (columns: number) => ({ isTTY: true, columns });

test('a long line is wrapped between words', () => {
  expect(fitLine('✔ limits   memory, processes, files', terminal(20), 11)).toBe(
    '✔ limits   memory,\n           processes,\n           files',
  );
});

test('a word longer than a line is not split', () => {
  expect(fitLine('no folder /a/very/long/path here', terminal(12), 2)).toBe('no folder\n  /a/very/long/path\n  here');
});

test('color takes no columns', () => {
  expect(fitLine('\u001b[31mtacho:\u001b[39m no run', terminal(13), 2)).toBe('\u001b[31mtacho:\u001b[39m no run');
});

test('output that is not shown on a terminal is not changed', () => {
  expect(fitLine('a b c', { isTTY: false, columns: 2 }, 0)).toBe('a b c');
});

test('no word is lost, and only long words exceed the line', () => {
  const line = fc.array(fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'é') }));
  fc.assert(
    fc.property(line, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 10 }), (words, columns, indent) => {
      const fitted = fitLine(words.join(' '), terminal(columns), indent);
      expect(fitted.split(/\s+/).filter(Boolean)).toEqual(words);
      for (const part of fitted.split('\n'))
        if (part.trim().includes(' ')) expect(part.length).toBeLessThanOrEqual(columns);
    }),
  );
});

test('help: sentences and explanations are wrapped, examples are not', () => {
  const help =
    'Runs a command and records it.\n\n  tacho run npm test   every byte now\n  tacho run a-very-long-command here';
  expect(fitHelp(help, terminal(32)).split('\n')).toEqual([
    'Runs a command and records it.',
    '',
    '  tacho run npm test   every',
    '                       byte now',
    '  tacho run a-very-long-command here',
  ]);
});
