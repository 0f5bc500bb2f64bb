import { describe, expect, test } from 'vitest';
import { OutputEnds } from '../../../src/runtime/port/output-ends.ts';
import { incompleteSequence, terminalText } from '../../../src/runtime/port/terminal-text.ts';
import { strictestLimits } from '../../../src/terminal/limits/strictest-limits.ts';

const END_BYTES = 256 * 1024;
const bytes = (text: string) => Buffer.from(text, 'latin1');

function collected(...pieces: (string | number)[]) {
  const ends = new OutputEnds();
  for (const piece of pieces) {
    if (typeof piece === 'number') ends.skip(piece);
    else ends.append(Buffer.from(piece));
  }
  const { head, tail, omitted } = ends.collect();
  return { head: head.toString(), tail: tail.toString(), omitted };
}

describe('the ends of an output', () => {
  test('are all of it if it is short', () => {
    expect(collected()).toEqual({ head: '', tail: '', omitted: 0 });
    expect(collected('one', 'two')).toEqual({ head: 'onetwo', tail: '', omitted: 0 });
    const long = 'x'.repeat(END_BYTES + 5);
    expect(collected(long)).toEqual({ head: long.slice(5), tail: 'xxxxx', omitted: 0 });
  });

  test('are counted to the byte, and a cut line at the beginning of the second is left out', () => {
    const lines = Array.from({ length: 200_000 }, (_, n) => `line ${n}\n`).join('');
    const { head, tail, omitted } = collected(lines.slice(0, 100_000), lines.slice(100_000));
    expect(head).toBe(lines.slice(0, END_BYTES));
    expect(lines.endsWith(tail) && tail.startsWith('line ')).toBe(true);
    expect(head.length + tail.length + omitted).toBe(lines.length);
  });

  test('leave out what is missing in between, and what came before a second gap', () => {
    expect(collected('first', 100, 'last')).toEqual({ head: 'first', tail: 'last', omitted: 100 });
    expect(collected(7, 'last')).toEqual({ head: '', tail: 'last', omitted: 7 });
    expect(collected('first', 100, 'middle', 10, 'last')).toEqual({ head: 'first', tail: 'last', omitted: 116 });
  });
});

describe('the text of a terminal', () => {
  const show = (head: string, tail = '', omitted = 0, maxChars = 1000) =>
    terminalText({ head: Buffer.from(head), tail: Buffer.from(tail), omitted }, maxChars);

  test('has no control sequences, and lines end with a line feed', () => {
    expect(show('a\r\n\u001b[1mb\u001b[0m\r\n')).toEqual({ output: 'a\nb\n', truncated: false });
    expect(show('\u001b]0;title\u0007\u0000x\u0007')).toMatchObject({ output: 'x' });
  });

  test('is cut in the middle, with a note', () => {
    expect(show('0123456789', '', 0, 4)).toEqual({ output: '01\n[… 6 characters left out …]\n89', truncated: true });
    expect(show('0123456789', 'abcdef', 100, 4)).toEqual({
      output: '01\n[… 112 bytes left out …]\nef',
      truncated: true,
    });
    expect(show('ab', 'yz', 100)).toEqual({ output: 'ab\n[… 100 bytes left out …]\nyz', truncated: true });
    expect(show('', 'yz', 5)).toMatchObject({ output: '\n[… 5 bytes left out …]\nyz', truncated: true });
  });

  test('is never cut within a character', () => {
    const { output } = show('😀😀😀', '😀😀😀', 9, 3);
    expect(Buffer.from(output).toString()).toBe(output);
  });
});

test.each([
  ['text', 0],
  ['text\u001b', 1],
  ['text\u001b[', 2],
  ['text\u001b[38;5;1', 8],
  ['text\u001b[38;5;1m', 0],
  ['\u001b[31mred', 0],
  ['\u001b]0;title', 9],
  ['\u001b]0;title\u0007', 0],
  ['\u001b]0;title\u001b\\', 0],
  ['\u001b(', 2],
  ['\u001b(B', 0],
  ['\u001bM', 0],
  [`\u001b]0;${'x'.repeat(300)}`, 0],
])('of %j, %i bytes begin a sequence whose rest is to come', (text, count) => {
  expect(incompleteSequence(bytes(text))).toBe(count);
});

test('of two limits the stricter one counts', () => {
  expect(
    strictestLimits({ open_files: 5, nice: 3, processes: 9 }, { open_files: 7, nice: 10, memory_bytes: 1 }),
  ).toEqual({ open_files: 5, nice: 10, processes: 9, memory_bytes: 1 });
  expect(strictestLimits({}, {})).toEqual({});
});
